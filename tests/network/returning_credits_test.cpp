// SPDX-License-Identifier: Apache-2.0
// Decisions of routings by credits that come back in the cycle of the request.

#include <stdexcept>
#include <string>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

constexpr unsigned stream_flits = 300;
constexpr NodeId streaming = 0, requesting = 1;

/// Routers with two nodes, and a link that a packet takes from nodes 0 and 1 to node `to`.
struct Fabric {
  std::string topology;
  unsigned routers;
  graph::RouterId middle;  ///< a router that no minimal path passes
  NodeId to;
  unsigned links_around;  ///< of the path over `middle`
  std::string classes;
  std::vector<std::string> settings;
};

/// Three groups of two routers, each with one global link: routers 0 and 2 share one. Over routers 4 and 5
/// the path is 0, 1, 4, 5, 3, 2.
Fabric dragonfly(graph::RouterId middle, const char* vcs, const char* classes) {
  return {"dragonfly",
          6,
          middle,
          4,
          5,
          classes,
          {"topology.group_routers=2", "topology.global_links=1", "topology.groups=3",
           "routing.kind=ugal_by_phase", vcs}};
}

const Fabric fabrics[] = {
    dragonfly(4, "router.vcs=3", ""), dragonfly(5, "router.vcs=6", "low vcs 0-2, high vcs 3-5"),
    Fabric{"hyperx",
           3,
           2,
           2,
           2,
           "",
           {"topology.radices=3", "routing.kind=ugal", "routing.queue=credits", "router.vcs=2"}}};

NetworkConfig network_by(const std::vector<std::string>& settings) {
  NetworkConfig config;
  config::KeyTable keys;
  add_network_keys(keys, config);
  for (const std::string& setting : settings) keys.set_from_command_line(setting);
  return config;
}

/// A seed with which the first packet of node `requesting` draws the intermediate router `middle`.
std::uint64_t seed_for(const Fabric& fabric) {
  std::uint64_t seed = 1;
  while (CounterRandom(seed, packet_id(requesting, 0)).bits(0) % fabric.routers != fabric.middle) ++seed;
  return seed;
}

/// Latencies in cycles.
struct Times {
  unsigned link, va, st, credit_process;
  /// Flits of a stream that have left a router, a flit a cycle, and whose credits have not returned. A credit
  /// can be used the pipeline of a hop, a link, the cycle that registers the credit, a link and the sender's
  /// processing after the flit left.
  unsigned unreturned() const {
    const unsigned rc = 1, sa = 1;
    const unsigned round_trip = rc + va + sa + st + link + 1 + link + credit_process;
    return round_trip - 1;
  }
};

std::vector<std::string> settings_of(const Fabric& fabric, const Times& times, unsigned threshold) {
  const auto with = [](const char* key, unsigned value) {
    return std::string(key) + '=' + std::to_string(value);
  };
  std::vector<std::string> settings = {"topology.kind=" + fabric.topology,
                                       "topology.nodes_per_router=2",
                                       "router.buffer_flits=64",
                                       with("link.latency_cycles", times.link),
                                       with("router.va_cycles", times.va),
                                       with("router.st_cycles", times.st),
                                       with("link.credit_process_cycles", times.credit_process)};
  settings.insert(settings.end(), fabric.settings.begin(), fabric.settings.end());
  settings.push_back(with("routing.adaptive_threshold", threshold));
  return settings;
}

/// Links that the packet of node `requesting` takes, whose route is requested beside the stream of node
/// `streaming`.
unsigned links(const Fabric& fabric, const Times& times, unsigned threshold, bool dense) {
  NetworkConfig config = network_by(settings_of(fabric, times, threshold));
  config.classes.list = fabric.classes;
  VcRig rig(config);
  rig.parts->seed = seed_for(fabric);
  rig.parts->only_results = dense;
  rig.build([&](NodeId node) {
    std::vector<traffic::Emission> own;
    if (node == streaming || node == requesting) {
      traffic::Emission emission;
      emission.created = node == streaming ? 10 : 150;
      emission.destination = fabric.to;
      emission.flits = node == streaming ? stream_flits : 1;
      emission.payload_bytes = 0;
      emission.sid = fabric.classes.empty() ? 0 : 1;
      own.push_back(emission);
    }
    return std::make_unique<traffic::ListedEmissions>(std::move(own));
  });
  if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
  rig.loaded->run_to(1000);
  return rig.by_packet().at(packet_id(requesting, 0)).hops - 1U;
}

}  // namespace

TEST_CASE("UGAL counts credits that return in the cycle of its request as returned") {
  const Times times = GENERATE(Times{1, 1, 0, 1}, Times{4, 2, 1, 2});
  const auto taken = [&times](const Fabric& fabric, unsigned threshold, bool dense) {
    return tsuji::test::forked([&] { return std::to_string(links(fabric, times, threshold, dense)); });
  };
  for (const Fabric& fabric : fabrics)
    for (const bool dense : {false, true}) {
      if (dense && !fabric.classes.empty()) continue;  // classes of messages run as modules
      CAPTURE(fabric.settings, times.link, dense);
      // One returned credit counted as missing makes the queue longer than the first threshold.
      CHECK(taken(fabric, times.unreturned(), dense) == "1");
      CHECK(taken(fabric, times.unreturned() - 1, dense) == std::to_string(fabric.links_around));
    }
}
