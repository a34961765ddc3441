// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/fast_vc_router.h"

#include <algorithm>

namespace tsuji::router {
namespace {

std::vector<std::uint8_t> vcs_of_inputs(const std::vector<RouterPort>& ports) {
  std::vector<std::uint8_t> vcs;
  for (const RouterPort& port : ports)
    vcs.push_back(static_cast<std::uint8_t>(port.in == nullptr ? 0 : port.in->vcs()));
  return vcs;
}

/// Prediction in its simplest form: a guess is known to be wrong before its flit is on the link, and is made
/// before its head comes. Nothing else is asked of the driver.
bool predicts_simply(const VcRouterConfig& config) {
  const PredictionConfig& prediction = config.prediction;
  return prediction.check == PredictionCheck::kill && !prediction.serial &&
         !prediction.kinds.traits(prediction.kind).reads_coming;
}

}  // namespace

bool FastVcRouter::suffices(const VcRouterConfig& config, const std::vector<RouterPort>& ports) {
  const bool a_flit_a_cycle = std::all_of(ports.begin(), ports.end(), [](const RouterPort& port) {
    return port.out == nullptr || port.out->flit_cycles() == 1;
  });
  return count_lines(ports) < LineSwitchAllocator::most_lines && a_flit_a_cycle &&
         config.sa_allocator == AllocatorKind::islip && config.islip_iterations == 1 &&
         config.va_input_arbiter == VaInputArbiter::vcs && config.input_speedup == 1 &&
         config.va_cycles > 0 && config.switching != Switching::store_and_forward &&
         config.route_at == RouteAt::front && (!config.prediction.on() || predicts_simply(config));
}

FastVcRouter::FastVcRouter(const VcRouterConfig& config, graph::RouterId id,
                           const std::vector<RouterPort>& ports, const RouterParts& parts)
    : VcRouter(config, id, ports, parts, false),
      switch_(*parts.arena, vcs_of_inputs(ports), static_cast<unsigned>(ports.size())) {}

void FastVcRouter::step(Cycle now) {
  alarm_.set(now, run_cycle(*this, now));
}

Cycle FastVcRouter::advance(Cycle now) {
  return run_cycle(*this, now);
}

/// A credit that was told for this packet must not be taken for a flit of the next one. Its flits on the
/// wires are announced again when the line, which is busy now, is looked at.
void FastVcRouter::drop_requests(InputVc& vc) {
  ready_ &= ~bit(vc.number);
  awaits_flit_ &= ~bit(vc.number);
  switch_.release(vc.number);
  ends_[vc.out_port].out->forget_watch(vc.out_vc, vc.number);
  board_.forget(vc.number);
}

}  // namespace tsuji::router
