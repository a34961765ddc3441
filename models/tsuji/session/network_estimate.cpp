// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_estimate.h"

#include <algorithm>
#include <array>

#include "tsuji/machines/cenju4/cenju4_estimate.h"
#include "tsuji/network/config/network_estimate.h"
#include "tsuji/network/dense/dense_network.h"
#include "tsuji/router/vc/packet_vc_router.h"

namespace tsuji::session {

using platform::count_text;
using platform::MachineEstimate;

namespace {

void estimate_time(MachineEstimate& estimate, const network::NetworkConfig& machine,
                   const network::TrafficConfig& traffic, const network::NetworkSize& size) {
  const double ns = network::flit_hop_ns(estimate.bytes);
  const std::string each = count_text(ns) + " ns of one core for each flit at a router";
  if (!traffic.traits().offers_load) {
    estimate.time_basis = each + ", and the offered load is not a key of this configuration";
    return;
  }
  const double flits = network::flit_hops_per_cycle(
      machine, size, traffic.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle);
  estimate.million_cycles_seconds = 1e6 * flits * ns * 1e-9;
  estimate.time_basis =
      each + ", and " + count_text(flits) +
      " of them a cycle if traffic were uniform; a third to three times as long was measured";
}

/// Whether the network of a run without records, waveforms and reports of single flits is a dense one
/// (LoadedParts::runs_densely()). Routings that are not named may decide by credits, and count as modules;
/// routers have the mean number of ports.
bool may_run_densely(const network::NetworkConfig& machine, const network::NetworkSize& size,
                     const NetworkWorkload& workload) {
  constexpr std::array routings = {"dimension_order",
                                   "duato",
                                   "detour_ud",
                                   "least_common_ancestor",
                                   "destination_digits",
                                   "minimal",
                                   "up_down",
                                   "source_table",
                                   "valiant",
                                   "ugal",
                                   "par",
                                   "dal",
                                   "omni_war"};
  const double input_vcs = machine.network.vcs * size.inputs / size.routers;
  const bool whole_packets =
      !workload.retry.on() &&
      router::passes_whole_packets(machine.network.router, static_cast<unsigned>(input_vcs));
  const bool has_modules =
      workload.has_ranks() && (workload.nic == NicKind::cenju4_tree || machine.rails.count > 1);
  return !has_modules && machine.network.flit_cycles == 1 && !machine.classes.on() &&
         (!machine.lookup.in_switch() || (machine.lookup.answers_at_request() && !whole_packets)) &&
         !machine.classify_timeouts && machine.process_mode == ProcessMode::one_for_all &&
         machine.shuffle_seed == 0 && !machine.dead.change() &&
         std::find(routings.begin(), routings.end(), machine.routing.kind) != routings.end() &&
         input_vcs <= network::dense::DenseNetwork::most_router_vcs() &&
         network::dense::DenseNetwork::routers_suffice(machine.network, whole_packets);
}

}  // namespace

MachineEstimate network_estimate(const network::NetworkConfig& machine, const network::TrafficConfig& traffic,
                                 const observe::MeasureConfig& measure, const NetworkWorkload& workload) {
  const network::NetworkSize size = network::network_size(machine.topology);
  MachineEstimate estimate;
  const double nodes = size.nodes * workload.nodes_each();
  estimate.machine = count_text(size.routers) + " routers and " + count_text(nodes) + " nodes";
  const bool dense = may_run_densely(machine, size, workload);
  estimate.bytes = network::network_bytes(machine, size, dense);
  if (workload.retry.on()) estimate.bytes += size.nodes * network::retry_node_bytes();
  estimate.bytes_basis = "measured machines: within 25 %; packets that wait at their sources come on top";
  if (dense) estimate.bytes_basis += "; twice as much with waveforms or reports of single flits";
  if (workload.has_ranks()) {
    estimate.bytes_basis = "without the trace and the data that it moves, at least";
    if (workload.nic != NicKind::packetizer) estimate.bytes += nodes * machines::cenju4_node_bytes(nodes);
    if (workload.nic == NicKind::cenju4_groups)
      estimate.bytes += size.nodes * machines::crosspoint_network_bytes(workload.groups.network);
    estimate.time_basis = count_text(network::flit_hop_ns(estimate.bytes)) +
                          " ns of one core for each flit at a router, and the application decides how many";
    return estimate;
  }
  estimate_time(estimate, machine, traffic, size);
  if (measure.mode == observe::MeasureMode::cycles)
    estimate.run_cycles = static_cast<double>(measure.cycles + measure.warmup_cycles.value_or(0));
  return estimate;
}

}  // namespace tsuji::session
