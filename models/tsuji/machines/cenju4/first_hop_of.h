// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/graph/multistage.h"
#include "tsuji/nic/first_hop.h"

namespace tsuji::machines {

/// First hop of the packets of a Sender at an input of a multistage network, computed from the topology.
class FirstHopOf final : public nic::FirstHop {
 public:
  FirstHopOf(const graph::Multistage& topology, unsigned line) : route_(topology, line) {}
  std::uint32_t single_cast(NodeId destination) const override { return route_.single_cast(destination); }
  std::uint32_t multicast(std::uint32_t group, std::uint64_t map) const override {
    return route_.multicast(group, map);
  }
  std::uint32_t synchronization(std::uint64_t map) const override { return route_.synchronization(map); }

 private:
  graph::FirstRoute route_;
};

}  // namespace tsuji::machines
