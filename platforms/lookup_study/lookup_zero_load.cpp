// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "platforms/lookup_study/lookup_port_traffic.h"
#include "platforms/lookup_study/lookup_study.h"
#include "platforms/lookup_study/lookup_walk.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/core/run_time.h"
#include "tsuji/graph/cube.h"
#include "tsuji/network/config/link_classes.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/platform/network_slices.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {
namespace {

struct Pair {
  NodeId source, destination;
};

/// Pairs of nodes that are half a ring apart in every dimension, drawn evenly.
std::vector<Pair> farthest_pairs(const graph::CubeShape& shape, unsigned count, std::uint64_t seed) {
  CounterRandom random(seed, 0);
  std::vector<Pair> pairs;
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t source = 0, destination = 0, stride = 1;
    for (const unsigned radix : shape.radices) {
      const std::uint64_t from = random.below(radix);
      const std::uint64_t distance = random.below(2) == 0 ? radix / 2 : radix - radix / 2;
      source += from * stride;
      destination += (from + distance) % radix * stride;
      stride *= radix;
    }
    pairs.push_back({static_cast<NodeId>(source), static_cast<NodeId>(destination)});
  }
  return pairs;
}

/// Entries that uniform traffic leaves in a port's cache: all destinations where they fit, else the last
/// different ones of a long row of random ones.
std::vector<NodeId> left_by_uniform_traffic(const PortTraffic& traffic, unsigned entries,
                                            CounterRandom random) {
  std::vector<NodeId> row;
  if (traffic.destinations() <= entries) {
    for (std::uint64_t i = 0; i < traffic.destinations(); ++i) row.push_back(traffic.destination(i));
    return row;
  }
  std::vector<NodeId> seen;
  // Drawn in pieces: what was drawn twice is found by sorting.
  while (seen.size() < entries) {
    for (unsigned i = 0; i < entries; ++i) row.push_back(traffic.draw(random));
    seen = row;
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  }
  return row;
}

/// Warms the caches on all routes. An entry that one pair's port has got is not given to it again.
void warm(const LookupStudy& study, const StudyPlan& plan, const std::vector<Pair>& pairs,
          network::NetworkLookup& lookup, const RunOptions& options, observe::Results& results) {
  std::vector<std::uint64_t> warmed;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    walk(plan.topology, *plan.routing, pairs[i].source, pairs[i].destination, [&](const graph::PortRef& in) {
      const std::uint64_t name = std::uint64_t{in.router} << 16 | in.port;
      if (std::find(warmed.begin(), warmed.end(), name) != warmed.end()) return;
      warmed.push_back(name);
      lookup.warm(in,
                  left_by_uniform_traffic(PortTraffic(plan.topology, in), study.network.lookup.cache.entries,
                                          CounterRandom(options.seed, (std::uint64_t{1} << 48) + name)));
    });
    options.progress->update(static_cast<double>(i + 1) / static_cast<double>(pairs.size()));
    options.check_interruption(results);
  }
}

/// Mean of numbers, and how far off it may be.
struct Sample {
  double sum = 0, squares = 0;
  std::uint64_t count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
  double confidence95() const {
    if (count < 2) return 0;
    const auto n = static_cast<double>(count);
    return 1.96 * std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1) / n));
  }
};

std::unique_ptr<traffic::EmissionSource> source_of(NodeId node, const std::vector<Pair>& pairs, Cycle apart) {
  std::vector<traffic::Emission> list;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].source != node) continue;
    traffic::Emission emission;
    emission.created = 1 + i * apart;
    emission.destination = pairs[i].destination;
    emission.flits = 1;
    list.push_back(emission);
  }
  return std::make_unique<traffic::ListedEmissions>(std::move(list));
}

/// Each packet has left the network before the next one is sent: the time of every wire, stage and look-up
/// once for each router of its route, including the return of credits.
Cycle cycles_apart(const network::NetworkConfig& config, const graph::CubeShape& shape) {
  constexpr Cycle usual = 100'000;
  Cycle routers = 1;
  for (const unsigned radix : shape.radices) routers += radix / 2 + 1;
  const network::VcNetworkConfig& n = config.network;
  const router::VcRouterConfig& r = n.router;
  const lookup::LookupTiming& look_up = config.lookup.timing;
  Cycle of_classes = 0;
  for (const graph::LinkClass& one :
       network::parse_link_classes(config.link_classes, ClockPeriod(config.clock_period_ps)))
    of_classes += one.latency_cycles + one.flit_cycles;
  const Cycle wires = of_classes + config.link_latency_cycles + n.inject_latency_cycles + n.eject_latency_cycles +
                      n.fec_cycles + n.flit_cycles + n.credit_latency_cycles +
                      std::max(n.credit_process_cycles, n.credit_process_cycles_of_nodes());
  const Cycle stages = n.rc_cycles + r.va_cycles + r.sa_cycles + r.st_cycles + r.des_cycles + r.ser_cycles +
                       r.vc_change_cycles;
  const Cycle answers = look_up.hash_cycles + look_up.cache_cycles + look_up.cam_cycles;
  return std::max(usual, 2 * (routers + 1) * (wires + stages + answers));
}

/// Null where every packet was dropped.
void add_head_latency(const Sample& cycles, unsigned hops_most, ClockPeriod period,
                      observe::Results& results) {
  const bool any = cycles.count != 0;
  const double ns = period.ns(1);
  const auto number = [&](double value) { return any ? observe::Value(value) : observe::Value(nullptr); };
  results.metric("hops_max", any ? observe::Value(hops_most) : observe::Value(nullptr), "routers");
  results.metric("head_latency_ns_mean", number(any ? cycles.mean() * ns : 0), "ns");
  results.metric("head_latency_ns_mean_confidence95", number(cycles.confidence95() * ns), "ns");
}

}  // namespace

void run_lookup_zero_load(const LookupStudy& study, const RunOptions& options, observe::Results& results) {
  const StudyPlan plan(study.network);
  (void)PortTraffic(plan.topology, plan.topology.node(0).inject);  // refuses other topologies
  const auto& shape = *plan.topology.shape_as<graph::CubeShape>();
  const Cycle apart = cycles_apart(study.network, shape);
  const ClockPeriod period(study.network.clock_period_ps);
  require_in_run("study.pairs", study.pairs, "pairs", apart, period, 1);
  const std::vector<Pair> pairs = farthest_pairs(shape, study.pairs, options.seed);
  std::vector<bool> sends(plan.topology.nodes());
  for (const Pair& pair : pairs) sends[pair.source] = true;
  Sample head_cycles;
  unsigned hops_most = 0;
  network::LoadedNetwork::Parts parts{study.network, plan.topology, *plan.routing};
  parts.seed = options.seed;
  parts.make_source = [&](NodeId node) {
    return source_of(node, sends[node] ? pairs : std::vector<Pair>{}, apart);
  };
  parts.on_delivered = [&](const observe::DeliveredPacket& packet) {
    // The source sends it in one cycle, and it is on the wires from the next on.
    head_cycles.add(static_cast<double>(packet.head_cycle - packet.injected - 1));
    hops_most = std::max(hops_most, packet.hops);
  };
  network::LoadedNetwork loaded(parts);
  if (loaded.lookup() != nullptr && study.network.lookup.kind == "cached")
    warm(study, plan, pairs, *loaded.lookup(), options, results);
  NetworkSlices(loaded, options, results).run_to(1 + pairs.size() * apart);
  loaded.check_conservation();
  const std::uint64_t dropped = loaded.supervisor().packets_dropped();
  if (head_cycles.count + dropped != pairs.size())
    throw ModelError("network", loaded.now(), "", "packets have not arrived");
  results.metric("packets", head_cycles.count, "packets");
  if (dropped != 0) results.metric("packets_dropped", dropped, "packets");
  add_head_latency(head_cycles, hops_most, period, results);
  if (loaded.lookup() != nullptr)
    loaded.lookup()->add_to(results, loaded.now(), ClockPeriod(study.network.clock_period_ps));
  results.headline(plan.topology.name() + ": single packets over the longest routes");
}

}  // namespace tsuji::platform
