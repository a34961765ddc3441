// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/collective_metrics.h"

#include <algorithm>

#include "tsuji/graph/node_distances.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

using workload::CollectiveLoad;

/// True if no link has another latency, or takes more cycles for a flit, than the network's common ones.
bool links_are_equal(const NodeWorkParts& parts) {
  const graph::Topology& topology = parts.plan.topology;
  const auto is_common = [&](const graph::RouterLink& link) {
    return link.latency_cycles == parts.config.machine.link_latency_cycles;
  };
  bool equal =
      topology.is_equally_wide() && std::all_of(topology.links().begin(), topology.links().end(), is_common);
  for (NodeId node = 0; node < topology.nodes(); ++node)
    equal = equal && topology.node(node).latency_cycles == 0;
  return equal;
}

/// Times of a message between two ranks whose packets no other packet delays.
workload::MessageTimes message_times(const NodeWorkParts& parts, const traffic::RankPlaces& places,
                                     const graph::NodeDistances& links) {
  const network::VcNetworkConfig& network = parts.config.machine.network;
  const machines::TraceReplayConfig& replay = parts.config.workload.replay;
  const Cycle link = parts.config.machine.link_latency_cycles;
  workload::MessageTimes times;
  times.eager_bytes = replay.replay.eager_bytes;
  const traffic::Rails& rails = parts.plan.rails;
  // The packets of a message are divided among the ports, of which the busiest counts.
  times.occupies = [&replay, &network, ports = rails.count()](std::uint64_t bytes) {
    const std::uint64_t packets = replay.nic.packets(bytes);
    const std::uint64_t last = bytes - (packets - 1) * replay.nic.packet_bytes;
    const std::uint64_t most = (packets + ports - 1) / ports,
                        full = replay.nic.flits(replay.nic.packet_bytes);
    const bool has_last = packets % ports == 1 % ports;  // else another port has as many packets, all full
    return (has_last ? (most - 1) * full + replay.nic.flits(last) : most * full) * network.flit_cycles;
  };
  times.arrives = [&, occupies = times.occupies, link](std::uint32_t from, std::uint32_t to,
                                                       std::uint64_t bytes) -> Cycle {
    const NodeId source = places.node_of[from], destination = places.node_of[to];
    if (source == destination) return replay.nic.local_cycles;
    const Cycle between = links(rails.place(source, 0), rails.place(destination, 0));
    const Cycle wires = network.inject_latency_cycles + between * link + network.eject_latency_cycles +
                        (between + 2) * network.fec_cycles;
    // A cycle at the sender, and one before the receiver reacts.
    return 1 + wires + (between + 1) * network.router_cycles() + occupies(bytes) - network.flit_cycles + 1;
  };
  return times;
}

}  // namespace

void add_collective(observe::Results& results, const NodeWorkParts& parts, std::size_t ranks, Cycle cycles) {
  const CollectiveLoad& load = parts.config.workload.collective;
  const double us = static_cast<double>(parts.config.machine.clock_period_ps) * 1e-6;
  const double round_cycles = static_cast<double>(cycles) / load.rounds;
  const double bandwidth = round_cycles == 0 ? 0 : static_cast<double>(load.bytes) / (round_cycles * us);
  results.metric("collective_cycles", round_cycles, "cycles");
  results.metric("collective_time_us", round_cycles * us, "us");
  results.metric("collective_algorithm_bandwidth", bandwidth, "MB/s");
  results.metric("collective_bus_bandwidth",
                 bandwidth * workload::bus_factor(load.collective, static_cast<unsigned>(ranks)), "MB/s");
}

bool add_collective_model(observe::Results& results, const NodeWorkParts& parts,
                          const traffic::RankPlaces& places) {
  if (!graph::NodeDistances::suffices(parts.plan.topology) || !links_are_equal(parts)) return false;
  const traffic::Rails& rails = parts.plan.rails;
  if (rails.count() > 1 && rails.choice() != traffic::RailChoice::packet) return false;
  const graph::NodeDistances links(parts.plan.topology);
  const Cycle cycles = workload::uncontended_cycles(parts.config.workload.collective,
                                                    static_cast<unsigned>(places.node_of.size()),
                                                    message_times(parts, places, links));
  results.metric("collective_model_cycles", cycles, "cycles");
  return true;
}

std::string collective_headline(const CollectiveLoad& load, std::size_t ranks) {
  return load.collective + " of " + std::to_string(load.bytes) + " bytes by " +
         load.planned(static_cast<unsigned>(ranks)).algorithm + ", " + std::to_string(ranks) + " ranks";
}

void show_collective(observe::Results& results, bool has_model) {
  results.show("collective_time_us", "time of the operation");
  results.show("collective_cycles", "the same");
  if (has_model) results.show("collective_model_cycles", "  by alpha and beta, without contention");
  results.show("collective_algorithm_bandwidth", "algorithm bandwidth (bytes / time)");
  results.show("collective_bus_bandwidth", "bus bandwidth");
}

}  // namespace tsuji::session
