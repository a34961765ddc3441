// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "router/rig.h"
#include "support/catch.h"
#include "support/scripted_routing.h"

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;
using tsuji::test::ScriptedRouting;

namespace {

constexpr unsigned input = 0, in_vcs = 4;

/// Ports 1, 2, 3 are equal for every packet; port 4, of a lower rank, is another route.
void three_equal_ports(const routing::RouteQuery&, routing::RouteSet& candidates) {
  for (const unsigned port : {1U, 2U, 3U}) candidates.add(port, routing::vc_range(0, in_vcs));
  candidates.add(4, routing::vc_range(0, in_vcs), 1);
}

struct SelectionRig {
  explicit SelectionRig(Selection selection) : lookup(routing, 1) {
    config.ports = 5;
    config.channel.depth_flits = 8;
    config.router.selection = selection;
    rig = std::make_unique<Rig>(config, &lookup);
  }
  /// The output port of a packet that comes alone.
  unsigned port_of(std::uint32_t serial, unsigned vc = 0, unsigned flits = 1) {
    const PacketIndex packet = rig->packet(1, flits, serial);
    rig->arrive(rig->now + 2, input, vc, packet);
    rig->run(rig->now + 2 + flits + 20);
    for (const Seen& seen : rig->seen) {
      if (seen.packet == packet) return seen.port;
    }
    for (unsigned p = 1; p < config.ports; ++p) {
      for (unsigned v = 0; v < in_vcs; ++v) {
        for (unsigned place = 0; place < 8; ++place) {
          const FlitSlot& slot = rig->out[p]->ring(v).behind_front(place);
          if (slot.holds_flit() && slot.packet() == packet) return p;
        }
      }
    }
    return 0;
  }
  /// Fills places of the buffers downstream of output `port`, whose sink then takes nothing.
  void occupy(unsigned port, unsigned flits) {
    rig->stopped[port] = true;
    for (unsigned other = 1; other < config.ports; ++other) {
      if (other != port) rig->out[other]->set_down(true, rig->now);
    }
    for (unsigned f = 0; f < flits; ++f) REQUIRE(port_of(1000 + f) == port);
    for (unsigned other = 1; other < config.ports; ++other) rig->out[other]->set_down(false, rig->now);
  }

  RigConfig config;
  const ScriptedRouting routing{routing::vc_range(0, in_vcs), three_equal_ports, 4};
  lookup::LocalLookup lookup;
  std::unique_ptr<Rig> rig;
};

}  // namespace

TEST_CASE("selection first: the first candidate with a free output virtual channel") {
  SelectionRig bench(Selection::first);
  for (std::uint32_t serial = 0; serial < 8; ++serial) CHECK(bench.port_of(serial) == 1);
}

TEST_CASE("selection round_robin: equal candidates in turn, none of a lower rank") {
  SelectionRig bench(Selection::round_robin);
  std::vector<unsigned> ports;
  for (std::uint32_t serial = 0; serial < 6; ++serial) ports.push_back(bench.port_of(serial));
  // One packet after another: any three consecutive ports of this sequence differ.
  for (std::size_t i = 0; i + 2 < ports.size(); ++i)
    CHECK(std::set<unsigned>(ports.begin() + static_cast<std::ptrdiff_t>(i),
                             ports.begin() + static_cast<std::ptrdiff_t>(i) + 3) ==
          std::set<unsigned>{1, 2, 3});
}

TEST_CASE("selection most_credits: the emptiest next buffers, ties in turn") {
  SelectionRig bench(Selection::most_credits);
  SECTION("without traffic all candidates are taken equally often") {
    std::map<unsigned, unsigned> count;
    for (std::uint32_t serial = 0; serial < 12; ++serial) ++count[bench.port_of(serial)];
    CHECK(count == std::map<unsigned, unsigned>{{1, 4}, {2, 4}, {3, 4}});
  }
  SECTION("one flit more in its next buffers, and a port is left alone") {
    bench.occupy(1, 2);
    bench.occupy(2, 1);
    bench.rig->stopped[3] = true;
    CHECK(bench.port_of(1) == 3);  // 0 flits against 2 and 1
    // 2, 1, 1: in turn among the two that are equal, whichever comes first.
    std::set<unsigned> both{bench.port_of(2), bench.port_of(3)};
    CHECK(both == std::set<unsigned>{2, 3});
  }
}

TEST_CASE("selection random: depends on the packet alone, all equal candidates about equally often") {
  SelectionRig one(Selection::random), two(Selection::random);
  std::map<unsigned, unsigned> count;
  for (std::uint32_t serial = 0; serial < 300; ++serial) {
    const unsigned port = one.port_of(serial);
    ++count[port];
    if (serial >= 290) CHECK(two.port_of(serial) == port);  // independent of earlier packets
  }
  REQUIRE(count.size() == 3);
  // 100 each; five standard deviations of a binomial count are 41.
  for (const unsigned port : {1U, 2U, 3U}) CHECK(std::abs(static_cast<int>(count[port]) - 100) < 41);
}

TEST_CASE("a candidate of a lower rank is taken only when no better one is free, for any selection") {
  const auto selection =
      GENERATE(Selection::first, Selection::most_credits, Selection::round_robin, Selection::random);
  SelectionRig bench(selection);
  for (const unsigned port : {1U, 2U, 3U}) bench.rig->out[port]->set_down(true, bench.rig->now);
  CHECK(bench.port_of(1) == 4);
  bench.rig->out[3]->set_down(false, bench.rig->now);
  bench.rig->stopped[4] = false;
  for (std::uint32_t serial = 2; serial < 8; ++serial) CHECK(bench.port_of(serial) == 3);
}
