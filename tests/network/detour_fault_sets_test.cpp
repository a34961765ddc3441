// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "network/detour_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/graph/living_network.h"

// Detour-UD far above saturation under random sets of dead links and routers that barely leave the others
// connected (Yoshinaga 2004, theorem 1). Every message arrives once, with one adaptive channel and one for
// recovery, also by recovery alone and with tables everywhere.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

/// Links and routers die in random order, each only if all others stay connected; at most `most` of them.
graph::FaultSet dying(const graph::Topology& topology, CounterRandom& random, std::size_t most) {
  struct Part {
    bool router;
    std::uint32_t number;
  };
  std::vector<Part> parts;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) parts.push_back({false, link});
  // Restricts dead routers, as otherwise all routers of a line would die from its end down to the last two.
  for (graph::RouterId router = 0; router < topology.routers(); ++router)
    if (random.below(4) == 0) parts.push_back({true, router});
  for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[random.below(i)]);
  graph::FaultSet faults;
  for (const Part& part : parts) {
    if (faults.links.size() + faults.routers.size() == most) break;
    graph::FaultSet more = faults;
    (part.router ? more.routers : more.links).push_back(part.number);
    if (more.routers.size() + 2 > topology.routers()) continue;
    if (graph::LivingNetwork(topology, more).cut_off().empty()) faults = std::move(more);
  }
  return faults;
}

/// A network, its faults and its messages, drawn from a seed.
struct Drawn {
  explicit Drawn(std::uint64_t seed) : random(seed, 21) {
    const auto dimensions = static_cast<unsigned>(1 + random.below(3));
    constexpr unsigned largest[] = {15, 8, 4};
    for (unsigned d = 0; d < dimensions; ++d) {
      // A ring of two is a pair of routers.
      const unsigned least = dimensions == 1 ? 3 : 2;
      one.radices.push_back(static_cast<unsigned>(least + random.below(largest[dimensions - 1] + 1 - least)));
    }
    one.kind = random.below(3) == 0 ? "mesh" : "torus";
    draw_messages();
    one.timeout_cycles = alone ? 1 : 8 + random.below(120);
    distance = everywhere ? 30 : static_cast<unsigned>(1 + random.below(3));
    // Without a hop limit: outside the regions of faults messages may circulate without end, a case that
    // Yoshinaga 2004 does not mention.
    const bool unlimited = (alone || everywhere) && random.below(2) == 0;
    one.hop_limit = unlimited ? 0 : static_cast<unsigned>(1 + random.below(60));
    one.classify_timeouts = random.below(4) == 0;
    const graph::Topology topology = make_topology(config_of(one).topology, 1);
    const std::size_t all = topology.links().size() + topology.routers();
    faults = dying(topology, random, random.below(2) == 0 ? all : random.below(all / 3 + 1));
  }
  void draw_messages() {
    using router::Switching;
    constexpr Switching kinds[] = {Switching::wormhole, Switching::wormhole, Switching::wormhole,
                                   Switching::virtual_cut_through, Switching::store_and_forward};
    constexpr unsigned lengths[] = {1, 16, 40}, whole[] = {1, 8};
    one.switching = kinds[random.below(5)];
    one.flits = one.switching == Switching::wormhole ? lengths[random.below(3)] : whole[random.below(2)];
    const auto how = random.below(6);
    alone = how == 0;
    everywhere = how == 1;
  }

  CounterRandom random;
  DetourCase one;
  graph::FaultSet faults;
  unsigned distance = 2;
  bool alone = false;       ///< every message is in recovery from its first router on
  bool everywhere = false;  ///< all routers are in the region of a fault
};

/// Returns the number of heads that timed out, or the error.
std::string end_of(const Drawn& drawn, std::uint64_t seed, unsigned flits_of_node) {
  DetourRig rig(drawn.one, drawn.faults, run_orders[seed % std::size(run_orders)], drawn.distance);
  // Each node offers two flits a cycle, and its link takes one at most.
  const unsigned messages = std::max(flits_of_node / drawn.one.flits, 3U);
  rig.burst(messages, seed, std::max(drawn.one.flits / 2, 1U));
  rig.build();
  if (!rig.rig.run_until_idle(3'000'000)) return "it has not drained";
  rig.rig.loaded->check_conservation();
  if (rig.rig.delivered.size() != rig.list.size() || rig.rig.by_packet().size() != rig.list.size())
    return std::to_string(rig.rig.delivered.size()) + " deliveries of " +
           std::to_string(rig.rig.by_packet().size()) + " messages, " + std::to_string(rig.list.size()) +
           " were sent";
  if (rig.rig.loaded->supervisor().packets_dropped() != 0) return "messages were dropped";
  const router::RouterCounters counters = rig.counters();
  if (drawn.alone && counters.recoveries != rig.list.size()) return "some went without recovery";
  const TimeoutClasses* const classes = rig.rig.loaded->timeout_classes();
  if (classes != nullptr && classes->heads() != counters.recoveries) return "unclassified timeouts";
  return std::to_string(counters.recoveries);
}

void drain(std::uint64_t first, std::uint64_t sets, unsigned flits_of_node) {
  unsigned at_the_edge = 0;
  std::uint64_t recoveries = 0;
  for (std::uint64_t seed = first; seed < first + sets; ++seed) {
    const Drawn drawn(seed);
    CAPTURE(seed, drawn.one.kind, drawn.one.radices, drawn.one.flits, drawn.faults.links,
            drawn.faults.routers, static_cast<int>(drawn.one.switching), drawn.one.timeout_cycles,
            drawn.distance);
    const std::string end = tsuji::test::forked([&] { return end_of(drawn, seed, flits_of_node); });
    CAPTURE(end);
    REQUIRE(end.find_first_not_of("0123456789") == std::string::npos);
    recoveries += std::stoull(end);
    const graph::Topology topology = make_topology(config_of(drawn.one).topology, 1);
    const std::size_t living = topology.routers() - drawn.faults.routers.size();
    std::size_t links = 0;
    const auto lives = [&](graph::RouterId router) {
      return std::count(drawn.faults.routers.begin(), drawn.faults.routers.end(), router) == 0;
    };
    for (std::uint32_t l = 0; l < topology.links().size(); ++l)
      links += lives(topology.links()[l].a.router) && lives(topology.links()[l].b.router) &&
                       std::count(drawn.faults.links.begin(), drawn.faults.links.end(), l) == 0
                   ? 1
                   : 0;
    at_the_edge += links + 1 == living ? 1 : 0;  // any further link would cut the network
  }
  CHECK(at_the_edge > sets / 4);
  CHECK(recoveries > 10 * sets);
}

}  // namespace

TEST_CASE("detour fault sets: messages far above saturation arrive once under some drawn sets") {
  drain(1, 150, 200);
}

TEST_CASE("detour fault sets: under hundreds of drawn sets", "[.][long]") {
  drain(1000, 4000, 1000);
}
