// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "tsuji/machines/cenju4/loaded_crosspoints.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/crosspoint/crosspoint_traffic.h"

namespace tsuji::test {

/// A multistage network without nodes, under uniform traffic of packets of 10 flits.
class CrosspointLoad {
 public:
  explicit CrosspointLoad(const machines::Cenju4Config& machine, double flits_per_node_cycle,
                          Cycle last_cycle)
      : machine_(machine), parts_{machine_, {}} {
    auto& open_loop = traffic.of<traffic::OpenLoopConfig>();
    open_loop.load_flits_per_node_cycle = flits_per_node_cycle;
    open_loop.last_cycle = last_cycle;
    traffic.lengths.of<workload::LengthRange>().packet_flits = 10;
  }

  machines::LoadedCrosspoints::Parts parts() {
    network::TrafficNodes nodes;
    nodes.nodes = machine_.network.topology.nodes;
    sources_ = std::make_unique<network::TrafficSources>(traffic, nodes, 1);
    parts_.make_source = [this](NodeId node) -> std::unique_ptr<traffic::EmissionSource> {
      std::unique_ptr<traffic::EmissionSource> source = sources_->source(node);
      if (!source) return nullptr;
      const network::CrosspointEmissions::Parts as{machine_.nic.sizes, multicast,
                                                   machine_.network.topology.nodes, 1};
      return std::make_unique<network::CrosspointEmissions>(std::move(source), as, node);
    };
    return parts_;
  }

  network::TrafficConfig traffic;
  network::MulticastTrafficConfig multicast;

 private:
  const machines::Cenju4Config machine_;
  machines::LoadedCrosspoints::Parts parts_;
  std::unique_ptr<network::TrafficSources> sources_;
};

}  // namespace tsuji::test
