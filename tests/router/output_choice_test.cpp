// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/output_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"

// The choice among candidates as a pure function of the tables below, without router, channel or cycle.

using namespace tsuji;
using namespace tsuji::router;
using routing::RouteCandidate;

namespace {

struct Outputs {
  std::map<unsigned, OutputView> ports;
  std::map<unsigned, std::vector<unsigned>> credits_of;  ///< [port][vc]
  mutable std::vector<unsigned> looked_at;

  OutputView view(const RouteCandidate& candidate) const {
    looked_at.push_back(candidate.port);
    const OutputView output = ports.at(candidate.port);
    return {output.open, static_cast<routing::VcMask>(output.vcs & candidate.vcs)};
  }
  unsigned credits(const RouteCandidate& candidate, routing::VcMask vcs) const {
    unsigned sum = 0;
    for (unsigned v = 0; v < 16; ++v)
      if ((vcs >> v & 1U) != 0) sum += credits_of.at(candidate.port).at(v);
    return sum;
  }
};

OutputChoice choose(const std::vector<RouteCandidate>& candidates, const ChoicePolicy& policy,
                    const Outputs& outputs) {
  return choose_candidate(candidates.data(), static_cast<unsigned>(candidates.size()), policy, outputs);
}

std::optional<unsigned> port_of(const OutputChoice& choice) {
  if (choice.candidate == nullptr) return {};
  return choice.candidate->port;
}

/// Up to ten ports with two virtual channels, in ranks of random sizes, down, taken or with up to four
/// credits.
struct Drawn {
  explicit Drawn(CounterRandom& random) {
    const auto count = static_cast<std::uint16_t>(random.below(11));
    std::uint8_t rank = 0;
    for (std::uint16_t port = 0; port < count; ++port) {
      const auto vcs = static_cast<routing::VcMask>(1 + random.below(3));
      candidates.push_back({port, vcs, rank});
      if (random.below(3) == 0) rank = static_cast<std::uint8_t>(rank + 1 + random.below(2));
      outputs.ports[port] = {random.below(3) != 0, static_cast<routing::VcMask>(random.below(4))};
      outputs.credits_of[port] = {static_cast<unsigned>(random.below(5)),
                                  static_cast<unsigned>(random.below(5))};
    }
  }
  bool open(const RouteCandidate& candidate) const { return outputs.ports.at(candidate.port).open; }
  routing::VcMask vcs(const RouteCandidate& candidate) const {
    return static_cast<routing::VcMask>(open(candidate) ? outputs.ports.at(candidate.port).vcs & candidate.vcs
                                                        : 0);
  }
  /// The candidates of the best rank with an available one, including its unavailable candidates.
  std::vector<RouteCandidate> best_rank() const {
    const auto best = std::find_if(candidates.begin(), candidates.end(),
                                   [this](const RouteCandidate& one) { return vcs(one) != 0; });
    std::vector<RouteCandidate> all;
    for (const RouteCandidate& one : candidates)
      if (best != candidates.end() && one.rank == best->rank) all.push_back(one);
    return all;
  }
  /// The first of these candidates from place `turn` on, cyclically, for which `may` holds.
  template <class May>
  std::optional<unsigned> first_in_turn(const std::vector<RouteCandidate>& equals, unsigned turn,
                                        const May& may) const {
    for (std::size_t step = 0; step < equals.size(); ++step) {
      const RouteCandidate& one = equals[(turn + step) % equals.size()];
      if (vcs(one) != 0 && may(one)) return one.port;
    }
    return {};
  }
  unsigned credits(const RouteCandidate& one) const { return outputs.credits(one, vcs(one)); }

  std::vector<RouteCandidate> candidates;
  Outputs outputs;
};

}  // namespace

TEST_CASE("a choice follows the policy among the candidates of the best rank with an available one") {
  CounterRandom random(12, 0);
  unsigned chosen = 0;
  for (unsigned round = 0; round < 5000; ++round) {
    const Drawn drawn(random);
    const auto turn = static_cast<unsigned>(random.below(1000));
    const std::vector<RouteCandidate> equals = drawn.best_rank();
    const auto any = [](const RouteCandidate&) { return true; };
    unsigned most = 0;
    for (const RouteCandidate& one : equals)
      if (drawn.vcs(one) != 0) most = std::max(most, drawn.credits(one));
    const auto fullest = [&](const RouteCandidate& one) { return drawn.credits(one) == most; };
    const auto choose_by = [&](Selection selection) {
      return choose(drawn.candidates, {selection, turn, 1, round, 3}, drawn.outputs);
    };
    CAPTURE(round, turn);
    CHECK(port_of(choose_by(Selection::first)) == drawn.first_in_turn(equals, 0, any));
    CHECK(port_of(choose_by(Selection::round_robin)) == drawn.first_in_turn(equals, turn, any));
    CHECK(port_of(choose_by(Selection::most_credits)) == drawn.first_in_turn(equals, turn, fullest));
    const OutputChoice drawn_one = choose_by(Selection::random);
    CHECK((drawn_one.candidate == nullptr) == equals.empty());
    if (drawn_one.candidate == nullptr) continue;
    ++chosen;
    CHECK(drawn_one.candidate->rank == equals[0].rank);
    CHECK(drawn_one.vcs == drawn.vcs(*drawn_one.candidate));
    CHECK(drawn_one.vcs != 0);
  }
  CHECK(chosen > 1000);
}

TEST_CASE("a head is dead when no output of its candidates is open, not when all are taken") {
  CounterRandom random(12, 1);
  std::set<bool> seen;
  for (unsigned round = 0; round < 1000; ++round) {
    const Drawn drawn(random);
    const bool dead = std::none_of(drawn.candidates.begin(), drawn.candidates.end(),
                                   [&](const RouteCandidate& one) { return drawn.open(one); });
    CHECK(choose(drawn.candidates, {}, drawn.outputs).dead == dead);
    if (!drawn.candidates.empty()) seen.insert(dead);
  }
  CHECK(seen.size() == 2);
}

TEST_CASE("outputs of ranks above the chosen candidate's are not read, those of its rank are, once each") {
  CounterRandom random(12, 2);
  for (unsigned round = 0; round < 1000; ++round) {
    const Drawn drawn(random);
    const OutputChoice choice = choose(drawn.candidates, {}, drawn.outputs);
    std::vector<unsigned> expected;
    for (const RouteCandidate& one : drawn.candidates)
      if (choice.candidate == nullptr || one.rank <= choice.candidate->rank) expected.push_back(one.port);
    CHECK(drawn.outputs.looked_at == expected);
  }
}

TEST_CASE(
    "random: depends on seed, packet, router and place alone, and equals are chosen about equally often") {
  Outputs outputs;
  const std::vector<RouteCandidate> candidates = {{4, 1, 0}, {2, 1, 1}, {7, 1, 1}, {5, 1, 1}, {1, 1, 2}};
  for (const RouteCandidate& one : candidates) {
    outputs.ports[one.port] = {one.port != 4, 1};
    outputs.credits_of[one.port] = {one.port};
  }
  const auto port = [&](unsigned turn, std::uint64_t seed, std::uint64_t packet, graph::RouterId router) {
    return *port_of(choose(candidates, {Selection::random, turn, seed, packet, router}, outputs));
  };
  std::map<unsigned, unsigned> count;
  unsigned other_seed = 0, other_router = 0;
  for (unsigned packet = 0; packet < 3000; ++packet) {
    const unsigned chosen = port(packet, 1, packet, 0);
    ++count[chosen];
    CHECK(port(7, 1, packet, 0) == chosen);
    other_seed += port(0, 2, packet, 0) == chosen ? 1 : 0;
    other_router += port(0, 1, packet, 1) == chosen ? 1 : 0;
  }
  REQUIRE(count.size() == 3);
  // 1,000 each of 3,000; five standard deviations of such a count are 129.
  for (const unsigned one : {2U, 7U, 5U}) CHECK(std::abs(static_cast<int>(count[one]) - 1000) < 130);
  CHECK(std::abs(static_cast<int>(other_seed) - 1000) < 130);
  CHECK(std::abs(static_cast<int>(other_router) - 1000) < 130);
}
