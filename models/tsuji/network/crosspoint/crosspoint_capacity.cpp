// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/crosspoint/crosspoint_capacity.h"

#include <algorithm>
#include <vector>

namespace tsuji::network {
namespace {

/// Flits a cycle over every channel, and through every crosspoint FIFO, at a load of 1 flit/node/cycle.
struct Flows {
  std::vector<std::vector<double>> channels;  ///< [stage][line]
  std::vector<std::vector<double>> fifos;     ///< [stage][line * radix + output]
};

Flows flows_of(const graph::Multistage& topology, const std::function<double(NodeId, NodeId)>& demand) {
  Flows flows;
  flows.channels.assign(topology.stages() + 1, std::vector<double>(topology.lines(), 0.0));
  flows.fifos.assign(topology.stages(), std::vector<double>(topology.lines() * topology.radix(), 0.0));
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
      const double flow = demand(source, destination);
      if (flow == 0) continue;
      unsigned line = source;
      flows.channels[0][line] += flow;
      for (unsigned stage = 0; stage < topology.stages(); ++stage) {
        graph::Multistage::Place place = topology.place(stage, line);
        const unsigned output = topology.output(stage, place.port, destination);
        flows.fifos[stage][line * topology.radix() + output] += flow;
        place.port = output;
        line = topology.line(stage, place);
        flows.channels[stage + 1][line] += flow;
      }
    }
  }
  return flows;
}

std::string switch_text(unsigned stage, unsigned index) {
  return "switch" + std::to_string(stage) + "_" + std::to_string(index);
}

std::string channel_text(const graph::Multistage& topology, unsigned stage, unsigned line) {
  if (stage == topology.stages()) return "channel to node " + std::to_string(line);
  const graph::Multistage::Place place = topology.place(stage, line);
  return "channel into " + switch_text(stage, place.switch_index) + ":" + std::to_string(place.port);
}

}  // namespace

double fifo_limit(const CrosspointNetworkConfig& network, double packet_flits) {
  const double latency = 1.0 + network.cable_cycles;
  const double slot = packet_flits + network.crosspoint.single_cast_cycles + 2 * latency;
  const bool waits = network.room_signal == RoomSignal::wire && network.crosspoint.fifo_packets > 1;
  const double trusted = waits ? 2 * latency + 1 : 0;
  return packet_flits / std::max({packet_flits, trusted, slot / network.crosspoint.fifo_packets});
}

CrosspointCapacity crosspoint_capacity(const CrosspointNetworkConfig& network, double packet_flits,
                                       const std::function<double(NodeId, NodeId)>& demand) {
  const graph::Multistage topology(network.topology);
  const Flows flows = flows_of(topology, demand);
  const double limit = fifo_limit(network, packet_flits);
  double fullest = 0;
  CrosspointCapacity result;
  // Sums of the same shares in another order differ in their last bits.
  const auto is_fuller = [&](double use) { return use > fullest * (1 + 1e-9); };
  for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
    for (unsigned line = 0; line < topology.lines(); ++line) {
      if (is_fuller(flows.channels[stage][line])) {
        fullest = flows.channels[stage][line];
        result.at = channel_text(topology, stage, line);
      }
      for (unsigned output = 0; stage < topology.stages() && output < topology.radix(); ++output) {
        const double use = flows.fifos[stage][line * topology.radix() + output] / limit;
        if (!is_fuller(use)) continue;
        fullest = use;
        const graph::Multistage::Place place = topology.place(stage, line);
        result.at = "FIFO (" + std::to_string(place.port) + ", " + std::to_string(output) + ") of " +
                    switch_text(stage, place.switch_index);
      }
    }
  }
  if (fullest > 0) result.flits_per_node_cycle = 1.0 / fullest;
  return result;
}

}  // namespace tsuji::network
