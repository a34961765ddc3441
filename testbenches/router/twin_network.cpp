// SPDX-License-Identifier: Apache-2.0
#include "router/twin_network.h"

#include "tsuji/core/error.h"
#include "tsuji/router/allocators/kinds.h"
#include "tsuji/routing/detour/detour_ud.h"

namespace tsuji::bench {
namespace {

void want_word(const char* key, const std::string& value, const std::string& twin) {
  want(value == twin, key, value, twin);
}
void want_truth(const char* key, bool value, bool twin) {
  want_word(key, value ? "true" : "false", twin ? "true" : "false");
}

template <class Allocators>
void want_iterations(const Allocators& allocators, const Allocators& twin) {
  want_number("router.islip_iterations", allocators.template of<router::IslipConfig>().islip_iterations,
              twin.template of<router::IslipConfig>().islip_iterations);
}

/// Keys of which the twin has nothing.
void refuse(bool set, const char* key, const std::string& value, const char* fits) {
  if (set) throw ConfigError(key, value, "the RTL has nothing of it", fits);
}

void check_stages(const router::PinRouterConfig& twin, const network::VcNetworkConfig& config) {
  want_number("router.rc_cycles", config.rc_cycles, twin.rc_cycles);
  want_number("router.va_cycles", config.router.va_cycles, twin.config.va_cycles);
  want_number("router.sa_cycles", config.router.sa_cycles, twin.config.sa_cycles);
  want_number("router.st_cycles", config.router.st_cycles, twin.config.st_cycles);
  want_number("link.credit_process_cycles", config.credit_process_cycles, twin.credit_cycles);
  want_number("router.vcs", config.vcs, twin.vcs);
  want_number("router.node_vcs", config.vcs_of_nodes(), twin.vcs);
  want_number("router.buffer_flits", config.buffer_flits, twin.buffer_flits);
}

/// Routes that the twin computes are those of one routing on one network.
void check_coordinates(const router::PinRouterConfig& twin, const network::NetworkConfig& machine) {
  want_word("topology.kind", machine.topology.kind, twin.wraps ? "torus" : "mesh");
  want_word("routing.kind", machine.routing.kind, twin.recovers() ? "detour_ud" : "detour_nf");
  if (!twin.recovers()) return;
  want_number("routing.ud_vcs", machine.routing.of<routing::DetourUdConfig>().ud_vcs, twin.ud_vcs);
  want_number("router.table_cycles", machine.network.table_cycles, twin.table_cycles);
  want_number("router.table_ports", machine.network.table_ports, 2);
  want_truth("router.table_pipelined", machine.network.table_pipelined, true);
}

}  // namespace

void check_twin(const router::PinRouterConfig& twin, const session::NetworkRunConfig& network) {
  const network::NetworkConfig& machine = network.machine;
  const router::VcRouterConfig& config = machine.network.router;
  check_stages(twin, machine.network);
  want_truth("router.atomic_vcs", config.atomic_vcs, twin.config.atomic_vcs);
  want_word("router.va_allocator", config.va_allocator, twin.config.va_allocator);
  want_word("router.sa_allocator", config.sa_allocator, twin.config.sa_allocator);
  if (config.va_allocator == "islip") want_iterations(config.va_allocators, twin.config.va_allocators);
  if (config.sa_allocator == "islip") want_iterations(config.sa_allocators, twin.config.sa_allocators);
  want(twin.candidates == 1 || config.selection == router::Selection::most_credits, "router.selection", "",
       "most_credits");
  refuse(config.va_input_arbiter != router::VaInputArbiter::vcs, "router.va_input_arbiter", "ports_and_vcs",
         "vcs");
  want_truth("router.uturn_network", config.uturn_network, twin.config.uturn_network);
  want_truth("router.uturn_node", config.uturn_node, twin.config.uturn_node);
  refuse(machine.lookup.in_switch(), "lookup.kind", "", "local");
  // Candidates to nodes are all virtual channels by the routing's own word.
  if (twin.node_ports == 0) want_word("topology.kind", machine.topology.kind, "fat_tree");
  want_word("prediction.kind", config.prediction.kind, twin.config.prediction.kind);
  // Another check lets flits leave before their route is known, or holds heads back until it is.
  refuse(twin.predicts() && config.prediction.check != router::PredictionCheck::kill, "prediction.check", "",
         "kill");
  refuse(config.des_cycles != 0, "router.des_cycles", std::to_string(config.des_cycles), "0");
  refuse(config.ser_cycles != 0, "router.ser_cycles", std::to_string(config.ser_cycles), "0");
  refuse(config.vc_change_cycles != 0, "router.vc_change_cycles", std::to_string(config.vc_change_cycles),
         "0");
  refuse(config.input_speedup != 1, "router.input_speedup", std::to_string(config.input_speedup), "1");
  refuse(config.route_at != router::RouteAt::front, "router.route_at", "arrival", "front");
  want_number("router.block_timeout_cycles", config.block_timeout_cycles, twin.config.block_timeout_cycles);
  refuse(machine.classify_timeouts, "deadlock.classify_timeouts", "true", "false");
  want_number("router.hop_limit", config.hop_limit, twin.config.hop_limit);
  if (twin.by_coordinates()) check_coordinates(twin, machine);
  refuse(machine.network.flit_cycles != 1, "link.flit_cycles", std::to_string(machine.network.flit_cycles),
         "1");
}

}  // namespace tsuji::bench
