// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/fast_vc_router.h"

#include <algorithm>

#include "tsuji/router/allocators/kinds.h"
#include "tsuji/router/vc/fast_vc_driver.h"

namespace tsuji::router {

std::vector<std::uint8_t> vcs_of_inputs(const std::vector<RouterPort>& ports) {
  std::vector<std::uint8_t> vcs;
  for (const RouterPort& port : ports)
    vcs.push_back(static_cast<std::uint8_t>(port.in == nullptr ? 0 : port.in->vcs()));
  return vcs;
}

bool allocates_by_bitmask(const VcRouterConfig& config) {
  return config.sa_allocator == "islip" && config.sa_allocators.of<IslipConfig>().islip_iterations == 1;
}

namespace {

/// Returns true for the only form of prediction that this driver has: guesses are made before the head
/// arrives, and are known to be wrong before the flit is on the link.
bool predicts_simply(const VcRouterConfig& config) {
  const PredictionConfig& prediction = config.prediction;
  return prediction.check == PredictionCheck::kill && !prediction.serial &&
         !prediction.kinds.traits(prediction.kind).reads_coming;
}

bool suffices(const VcRouterConfig& config, const std::vector<RouterPort>& ports) {
  const bool a_flit_a_cycle = std::all_of(ports.begin(), ports.end(), [](const RouterPort& port) {
    return port.out == nullptr || port.out->flit_cycles() == 1;
  });
  return VcRouter::count_input_vcs(ports) < BitmaskSwitchAllocator::most_vcs && a_flit_a_cycle &&
         allocates_by_bitmask(config) && config.va_input_arbiter == VaInputArbiter::vcs &&
         config.input_speedup == 1 && config.switch_hold == SwitchHold::flit && config.va_cycles > 0 &&
         config.switching != Switching::store_and_forward && config.route_at == RouteAt::front &&
         (!config.prediction.on() || predicts_simply(config));
}

bool reads_waiting(const RouteLookup& lookup) {
  Cycle cycles = 0;
  const routing::Routing* const routing = lookup.direct_routing(cycles);
  return routing != nullptr && routing->decisions() != nullptr && routing->decisions()->reads_waiting();
}

struct Uncounted {
  static constexpr bool counts = false;
};

}  // namespace

bool needs_times(const VcRouterConfig& config, const RouterParts& parts) {
  return config.vc_change_cycles != 0 || config.block_timeout_cycles != 0 || config.hop_limit != 0 ||
         VcRouter::recovers(parts) || parts.lookup.is_run_by_router();
}

ArenaPtr<VcRouter> make_fast_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                       const std::vector<RouterPort>& ports, const RouterParts& parts) {
  if (!suffices(config, ports) || reads_waiting(parts.lookup) || config.marks()) return nullptr;
  return parts.counts_waits ? make_counting_driver(config, id, ports, parts)
                            : make_fast_driver<Uncounted>(config, id, ports, parts);
}

}  // namespace tsuji::router
