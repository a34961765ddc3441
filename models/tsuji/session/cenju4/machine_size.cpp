// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/machine_size.h"

#include "tsuji/graph/multistage.h"
#include "tsuji/machines/cenju4/cenju4_estimate.h"

namespace tsuji::session {

using platform::count_text;
using platform::MachineEstimate;

namespace {

void estimate_load(MachineEstimate& estimate, const graph::Multistage& network, const NetworkAlone& load,
                   const std::string& each) {
  if (!load.traffic.traits().offers_load) {
    estimate.time_basis = each + ", and the offered load is not a key of this configuration";
    return;
  }
  const double flits = load.traffic.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle *
                       network.nodes() * network.stages();
  estimate.million_cycles_seconds = 1e6 * flits * machines::crosspoint_flit_hop_ns() * 1e-9;
  estimate.time_basis =
      each + ", and " + count_text(flits) + " of them a cycle; a third to three times as long was measured";
  if (load.measure.mode == observe::MeasureMode::cycles)
    estimate.run_cycles = static_cast<double>(load.measure.cycles + load.measure.warmup_cycles.value_or(0));
}

}  // namespace

MachineEstimate estimate_of(const machines::Cenju4Config& machine, const NetworkAlone* load) {
  constexpr double program = 14e6, source_and_sink = 2e3;
  const graph::Multistage network(machine.network.topology);
  const double nodes = network.nodes();
  const std::string each =
      count_text(machines::crosspoint_flit_hop_ns()) + " ns of one core for each flit at a switch";
  MachineEstimate estimate;
  estimate.machine = count_text(nodes) + " nodes and " +
                     count_text(network.stages() * network.switches_per_stage()) + " switches";
  estimate.bytes = program + machines::crosspoint_network_bytes(machine.network) + source_and_sink * nodes;
  if (load != nullptr) {
    estimate.bytes_basis = "measured machines: within 25 %; packets that wait at their sources come on top";
    estimate_load(estimate, network, *load, each);
    return estimate;
  }
  estimate.bytes += nodes * machines::cenju4_node_bytes(nodes);
  estimate.bytes_basis =
      "measured machines after their start: within 25 %; the data that programs touch come on top";
  estimate.time_basis = each + ", and the programs decide how many";
  return estimate;
}

}  // namespace tsuji::session
