// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <vector>

#include "router/arbiter_turns.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/router/allocators/kinds.h"

// Virtual-channel allocators whose input arbiters range over the channels of all ports, against references of
// their rules.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

/// Ranks of the output virtual channels that each head requests.
using Wishes = std::map<unsigned, std::map<unsigned, unsigned>>;
using Grants = std::map<unsigned, unsigned>;  // head -> output virtual channel

class OverPorts {
 public:
  OverPorts(const std::string& kind, const VcAllocatorShape& shape, unsigned iterations, FirstLine first)
      : islip_(kind == "islip"), iterations_(iterations) {
    const auto turns = kind == "matrix" ? Turns::Kind::least_recently_served : Turns::Kind::round_robin;
    const bool highest = kind == "matrix" && first == FirstLine::highest;
    heads_.assign(shape.input_vcs, Turns(turns, shape.ports * shape.vcs, highest));
    channels_.assign(std::size_t{shape.ports} * shape.vcs, Turns(turns, shape.input_vcs, highest));
  }
  Grants match(const Wishes& wishes) { return islip_ ? islip(wishes) : separable(wishes); }

 private:
  /// Each head chooses among its wishes of the lowest rank, each channel among the heads that chose it.
  Grants separable(const Wishes& wishes) {
    std::map<unsigned, unsigned> chosen;
    for (const auto& [head, ranks] : wishes) {
      unsigned best = ~0U;
      for (const auto& entry : ranks) best = std::min(best, entry.second);
      chosen[head] = heads_[head].pick([&, &ranks = ranks](unsigned channel) {
        return ranks.count(channel) != 0 && ranks.at(channel) == best;
      });
    }
    Grants grants;
    for (unsigned channel = 0; channel < channels_.size(); ++channel) {
      const unsigned head = channels_[channel].pick(
          [&](unsigned line) { return chosen.count(line) != 0 && chosen.at(line) == channel; });
      if (head < heads_.size()) grants[head] = channel;
    }
    move(grants);
    return grants;
  }
  /// Each channel offers itself to a head, and each head takes an offer; ranks do not count. Pointers advance
  /// with the grants of the first iteration.
  Grants islip(const Wishes& wishes) {
    Grants grants;
    std::set<unsigned> taken;
    for (unsigned i = 0; i < iterations_; ++i) {
      std::map<unsigned, std::set<unsigned>> offers;
      for (unsigned channel = 0; channel < channels_.size(); ++channel) {
        if (taken.count(channel) != 0) continue;
        const unsigned head = channels_[channel].pick([&](unsigned line) {
          return grants.count(line) == 0 && wishes.count(line) != 0 && wishes.at(line).count(channel) != 0;
        });
        if (head < heads_.size()) offers[head].insert(channel);
      }
      Grants accepted;
      for (const auto& [head, own] : offers)
        accepted[head] =
            heads_[head].pick([&own = own](unsigned channel) { return own.count(channel) != 0; });
      if (i == 0) move(accepted);
      for (const auto& [head, channel] : accepted) taken.insert(channel);
      grants.insert(accepted.begin(), accepted.end());
    }
    return grants;
  }
  void move(const Grants& grants) {
    for (const auto& [head, channel] : grants) {
      heads_[head].served(channel);
      channels_[channel].served(head);
    }
  }

  const bool islip_;
  const unsigned iterations_;
  std::vector<Turns> heads_, channels_;
};

struct Ask {
  unsigned head, port;
  std::uint16_t vcs, rank;
};

Grants allocate(VcAllocator& allocator, const std::vector<Ask>& asks, unsigned vcs) {
  for (const Ask& ask : asks) allocator.request(ask.head, ask.port, ask.vcs, ask.rank);
  Grants grants;
  if (!allocator.any()) return grants;
  for (const VcRequest& request : allocator.allocate()) {
    if (request.granted == VcRequest::nothing) continue;
    REQUIRE(grants.insert({request.input_vc, request.port * vcs + request.granted}).second);
  }
  return grants;
}

VcAllocatorShape over_ports(unsigned input_vcs, unsigned ports, unsigned vcs, unsigned requests = 1) {
  VcAllocatorShape shape;
  shape.input_vcs = input_vcs;
  shape.ports = ports;
  shape.vcs = vcs;
  shape.requests_of_head = requests;
  shape.input_arbiter = VaInputArbiter::ports_and_vcs;
  return shape;
}

/// Heads with up to `most` requests each, whose channels do not overlap.
std::vector<Ask> draw(CounterRandom& random, const VcAllocatorShape& shape, unsigned most) {
  const double density = 0.05 + 0.9 * random.unit();
  std::vector<Ask> asks;
  for (unsigned head = 0; head < shape.input_vcs; ++head) {
    if (random.unit() > density) continue;
    std::map<unsigned, unsigned> asked;  // port -> channels
    std::uint16_t rank = 0;
    for (std::uint64_t left = 1 + random.below(most); left > 0; --left) {
      const auto port = static_cast<unsigned>(random.below(shape.ports));
      const unsigned vcs = (1U + static_cast<unsigned>(random.below((1U << shape.vcs) - 1U))) & ~asked[port];
      if (vcs == 0) continue;
      asked[port] |= vcs;
      if (random.below(2) == 0) ++rank;
      asks.push_back({head, port, static_cast<std::uint16_t>(vcs), rank});
    }
  }
  return asks;
}

}  // namespace

TEST_CASE("a virtual-channel allocator over ports grants as its reference does") {
  const auto kind = GENERATE(as<std::string>(), "islip", "separable", "matrix");
  const auto most = GENERATE(1U, 3U);
  const auto option = GENERATE(0U, 1U);
  const VcAllocatorShape shape = over_ports(11, 4, 3, most);
  const unsigned iterations = 1 + option;
  const FirstLine first = option == 0 ? FirstLine::lowest : FirstLine::highest;
  VcAllocatorKinds kinds = vc_allocator_kinds();
  kinds.of<IslipConfig>().islip_iterations = iterations;
  kinds.of<MatrixVcConfig>().matrix_first = first;
  Arena arena;
  const auto allocator = kinds.make(kind, arena, shape);
  OverPorts words(kind, shape, iterations, first);
  CounterRandom random(11, most);
  for (unsigned cycle = 0; cycle < 1000; ++cycle) {
    const std::vector<Ask> asks = draw(random, shape, most);
    Wishes wishes;
    for (const Ask& ask : asks)
      for (unsigned vc = 0; vc < shape.vcs; ++vc)
        if ((ask.vcs >> vc & 1U) != 0) wishes[ask.head][ask.port * shape.vcs + vc] = ask.rank;
    CAPTURE(cycle);
    REQUIRE(allocate(*allocator, asks, shape.vcs) == words.match(wishes));
  }
}

TEST_CASE("over ports, a head to another port than its predecessor takes the lowest free channel") {
  const auto kind = GENERATE(as<std::string>(), "islip", "separable", "matrix");
  const auto arbiter = GENERATE(VaInputArbiter::vcs, VaInputArbiter::ports_and_vcs);
  VcAllocatorShape shape = over_ports(2, 3, 4);
  shape.input_arbiter = arbiter;
  if (kind == "matrix" && arbiter == VaInputArbiter::ports_and_vcs) return;  // least recently served
  Arena arena;
  const auto allocator = vc_allocator_kinds().make(kind, arena, shape);
  std::vector<unsigned> vcs;
  for (const unsigned port : {1U, 1U, 2U, 2U, 0U, 1U})
    vcs.push_back(allocate(*allocator, {{0, port, 0xf, 0}}, 4).at(0) % 4);
  if (arbiter == VaInputArbiter::vcs) {
    CHECK(vcs == std::vector<unsigned>{0, 1, 2, 3, 0, 1});
  } else {
    CHECK(vcs == std::vector<unsigned>{0, 1, 0, 1, 0, 0});
  }
}

TEST_CASE(
    "a head that requests several ports gets its best rank from a separable allocator, not from iSLIP") {
  const auto kind = GENERATE(as<std::string>(), "islip", "separable", "matrix");
  Arena arena;
  const auto allocator = vc_allocator_kinds().make(kind, arena, over_ports(2, 3, 2, 2));
  // The request of the second rank has the lower port.
  const Grants grants = allocate(*allocator, {{1, 2, 0b11, 0}, {1, 0, 0b01, 1}}, 2);
  CHECK(grants == Grants{{1, kind == "islip" ? 0U : 4U}});
}

TEST_CASE("a head whose offer goes to another one gets a channel in iSLIP's second iteration") {
  const unsigned iterations = GENERATE(1U, 2U);
  Arena arena;
  const auto allocator = IslipConfig{iterations}.make(arena, over_ports(2, 2, 1, 2));
  // Both ports' channels prefer head 0, which takes that of port 0.
  const Grants grants = allocate(*allocator, {{0, 0, 1, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}, {1, 1, 1, 0}}, 1);
  CHECK(grants == (iterations == 1 ? Grants{{0, 0}} : Grants{{0, 0}, {1, 1}}));
}
