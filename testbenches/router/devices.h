// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "common/device.h"
#include "router/router_bench.h"
#include "router/router_judge.h"
#include "router/router_module.h"
#include "tsuji/router/allocators/kinds.h"

/// Rows of router_bench, with any RTL that has these pins instead of a twin: Twin is its Verilated module, or
/// NoTwin. The parameters of the twins are set in CMakeLists.txt, where the twins are built.
namespace tsuji::bench {

template <class Twin>
Device router_device(const char* name, const char* what, const router::PinRouterConfig& config) {
  Device row = device<router::PinRouterModule, Twin, RouterStimulus>(name, what, RouterPins{config}, config);
  if (config.config.block_timeout_cycles == 0)
    for (unsigned line = 0; line < config.lines(); ++line)
      row.constant.push_back("blocked[" + std::to_string(line) + "]");
  if (!config.predicts())
    for (unsigned port = 0; port < config.ports; ++port)
      for (const char* pin : {"outcome", "kept"})
        row.constant.push_back(pin + ("[" + std::to_string(port) + "]"));
  return judged<RouterJudge>(std::move(row), config);
}

/// Router of the given shape, whose routes are in a file of this folder; null: they are written in a reset.
router::PinRouterConfig router_config(unsigned ports, unsigned vcs, unsigned buffer_flits,
                                      const char* routes);

namespace rows {

template <class Twin>
Device router_islip() {
  return router_device<Twin>("router_islip",
                             "5 ports, 4 virtual channels of 8 flits, islip, stages of a cycle",
                             router_config(5, 4, 8, "routes_5.hex"));
}
template <class Twin>
Device router_separable() {
  router::PinRouterConfig config = router_config(4, 3, 5, "routes_4.hex");
  config.config.va_allocator = config.config.sa_allocator = "separable";
  config.config.atomic_vcs = true;
  config.rc_cycles = 0;
  config.config.va_cycles = 2;
  config.config.st_cycles = 2;
  config.credit_cycles = 2;
  config.node_ports = 8;
  return router_device<Twin>("router_separable", "4 ports, 3 virtual channels of 5 flits, separable, atomic",
                             config);
}
template <class Twin>
Device router_matrix() {
  router::PinRouterConfig config = router_config(3, 2, 3, "routes_3.hex");
  config.config.va_allocator = config.config.sa_allocator = "matrix";
  config.config.va_cycles = 0;
  config.config.st_cycles = 0;
  config.config.uturn_network = true;
  config.data_bits = 16;
  return router_device<Twin>("router_matrix",
                             "3 ports, 2 virtual channels of 3 flits, matrix, VA and SA in a cycle", config);
}
template <class Twin>
Device router_iterations() {
  router::PinRouterConfig config = router_config(4, 3, 4, "routes_4.hex");
  config.config.va_allocators.of<router::IslipConfig>().islip_iterations = 2;
  config.config.sa_allocators.of<router::IslipConfig>().islip_iterations = 2;
  config.rc_cycles = 3;
  config.config.sa_cycles = 2;
  config.config.uturn_network = true;
  config.credit_cycles = 3;
  return router_device<Twin>("router_iterations",
                             "4 ports, 3 virtual channels of 4 flits, 2 iterations, long stages", config);
}

/// Duato's protocol on a torus needs four adaptive candidates, at ties, and an escape channel of a lower
/// rank.
template <class Twin>
Device router_adaptive() {
  router::PinRouterConfig config = router_config(5, 3, 4, "routes_adaptive.hex");
  config.candidates = 5;
  config.data_bits = 32;
  return router_device<Twin>("router_adaptive",
                             "5 ports, 3 virtual channels of 4 flits, 5 candidates for a head", config);
}
template <class Twin>
Device router_choice() {
  router::PinRouterConfig config = router_config(4, 2, 3, "routes_choice.hex");
  config.candidates = 2;
  config.data_bits = 32;
  config.config.va_allocator = config.config.sa_allocator = "separable";
  config.config.atomic_vcs = true;
  config.rc_cycles = 0;
  config.config.va_cycles = 0;
  config.credit_cycles = 2;
  config.node_ports = 8;
  return router_device<Twin>(
      "router_choice", "4 ports, 2 virtual channels of 3 flits, 2 candidates for a head, atomic", config);
}

/// Heads that are reported as blocked, some of them in the cycle in which their next flit comes.
template <class Twin>
Device router_timeout() {
  router::PinRouterConfig config = router_config(5, 3, 4, "routes_adaptive.hex");
  config.candidates = 5;
  config.data_bits = 32;
  config.config.atomic_vcs = true;
  config.config.block_timeout_cycles = 12;
  config.node_ports = 16;
  return router_device<Twin>("router_timeout", "router_adaptive whose heads time out after 12 cycles, atomic",
                             config);
}

/// The routers of Yoshinaga 2004, on a 4x4 torus: the place and the tables are random.
inline router::PinRouterConfig cube_config(router::PinRouting routing, unsigned vcs, unsigned buffer_flits,
                                           unsigned candidates) {
  router::PinRouterConfig config = router_config(5, vcs, buffer_flits, nullptr);
  config.routing = routing;
  config.candidates = candidates;
  config.data_bits = 32;
  config.config.uturn_network = true;
  config.config.atomic_vcs = candidates > 1;
  config.node_ports = 16;
  return config;
}
template <class Twin>
Device router_detour() {
  router::PinRouterConfig config = cube_config(router::PinRouting::detour_ud, 4, 4, 4);
  config.hop_bits = 7;
  config.config.block_timeout_cycles = 12;
  config.config.hop_limit = 16;
  return router_device<Twin>(
      "router_detour", "Detour-UD: 5 ports, 4 virtual channels of 4 flits, recovery after 12 cycles", config);
}
template <class Twin>
Device router_detour_nf() {
  return router_device<Twin>("router_detour_nf", "Detour-NF: 5 ports, 4 virtual channels of 4 flits",
                             cube_config(router::PinRouting::detour_nf, 4, 4, 8));
}
template <class Twin>
Device router_duato() {
  return router_device<Twin>("router_duato", "Duato's protocol: 5 ports, 3 virtual channels of 3 flits",
                             cube_config(router::PinRouting::duato, 3, 3, 5));
}
template <class Twin>
Device router_dm_order() {
  return router_device<Twin>("router_dm_order", "DM-Order: 5 ports, 3 virtual channels of 3 flits",
                             cube_config(router::PinRouting::dimension_order, 3, 3, 1));
}

/// Prediction routers: the predictions of inputs are random, as the table of a static predictor has them.
template <class Twin>
Device router_straight() {
  router::PinRouterConfig config = router_config(5, 2, 4, "routes_5.hex");
  config.config.prediction.kind = "straight";
  config.data_bits = 32;
  return router_device<Twin>("router_straight",
                             "prediction router (SS): 5 ports, 2 virtual channels of 4 flits, islip", config);
}
template <class Twin>
Device router_up() {
  router::PinRouterConfig config = router_config(4, 3, 4, "routes_choice.hex");
  config.config.prediction.kind = "up";
  config.candidates = 2;
  config.data_bits = 32;
  config.config.va_allocator = config.config.sa_allocator = "separable";
  config.config.atomic_vcs = true;
  config.rc_cycles = 2;
  config.config.va_cycles = 0;
  config.config.sa_cycles = 2;
  config.config.st_cycles = 2;
  config.config.uturn_network = true;
  config.credit_cycles = 2;
  config.node_ports = 8;
  return router_device<Twin>(
      "router_up",
      "prediction router (UP): 4 ports, 3 virtual channels of 4 flits, 2 candidates, long stages", config);
}

template <class Twin>
Device router_latest() {
  router::PinRouterConfig config = router_config(3, 2, 3, "routes_3.hex");
  config.config.prediction.kind = "latest_port";
  config.config.va_allocator = config.config.sa_allocator = "matrix";
  config.config.st_cycles = 3;
  config.rc_cycles = 3;
  config.config.va_cycles = 2;
  config.config.sa_cycles = 3;
  config.credit_cycles = 0;
  config.data_bits = 32;
  return router_device<Twin>(
      "router_latest", "prediction router (latest port): 3 ports, 2 virtual channels of 3 flits, long stages",
      config);
}

/// network_bench's, for stimulus that was recorded there.
template <class Twin>
Device router_5x4() {
  router::PinRouterConfig config = router_config(5, 4, 8, "routes_64.hex");
  config.node_ports = 1U << 4;
  config.node_bits = 6;
  config.data_bits = 44;
  return router_device<Twin>("router_5x4",
                             "network_bench's: 5 ports, 4 virtual channels of 8 flits, 64 nodes", config);
}

}  // namespace rows
}  // namespace tsuji::bench
