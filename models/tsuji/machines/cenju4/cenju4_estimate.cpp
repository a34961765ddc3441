// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_estimate.h"

#include "tsuji/graph/multistage.h"

namespace tsuji::machines {

double cenju4_node_bytes(double nodes) {
  constexpr double of_node = 130e3, of_other_node = 68;
  return of_node + of_other_node * nodes;
}

double crosspoint_network_bytes(const network::CrosspointNetworkConfig& network) {
  constexpr double of_switch = 3200, of_channel = 2080, of_crosspoint = 377;
  const graph::Multistage topology(network.topology);
  const double switches = static_cast<double>(topology.stages()) * topology.switches_per_stage();
  const double radix = topology.radix();
  return switches * (of_switch + radix * (of_channel + of_crosspoint * radix));
}

double crosspoint_flit_hop_ns() {
  return 40;
}

}  // namespace tsuji::machines
