// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/router/vc/vc_router.h"

// Counting of the states of input virtual channels (InputWaits): stages that few heads have, and reports of
// the full driver.

namespace tsuji::router {

const char* name_of(PortState state) {
  constexpr std::array<const char*, port_states> names = {
      "empty",    "no_flit",    "routing",   "mispredicted", "no_vc", "link_down",
      "recovery", "allocation", "no_credit", "lost_switch",  "moves", "paused"};
  return names[static_cast<std::size_t>(state)];
}

void VcRouter::WaitProbe::on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                                   HeadStage stage, Cycle at) {
  if (behind_ != nullptr) behind_->on_stage(router, port, vc, packet, stage, at);
  const InputVc& input = router_.input_vc(port, vc);
  InputWaits& waits = router_.waits_[input.number];
  switch (stage) {
    case HeadStage::route_computation:
      waits.begin(input.front().cycle(), at);
      break;
    case HeadStage::vc_allocation:
      waits.routed(at, router_.waits_as(input));
      break;
    case HeadStage::switch_allocation:  // the end of the allocation
      waits.granted(at - router_.config_.va_cycles, at);
      break;
    case HeadStage::crossing:
      waits.crosses(input.front().cycle(), at);
      break;
    case HeadStage::standing:
      router_.settle_waits(input, at);
      waits.pause();
      break;
    case HeadStage::none:
      router_.settle_waits(input, at);
      waits.resume(at);
      break;
    case HeadStage::inside:
      break;
  }
}

void VcRouter::WaitProbe::on_prediction(graph::RouterId router, unsigned port, unsigned vc,
                                        PacketIndex packet, PredictionOutcome outcome, Cycle at) {
  if (behind_ != nullptr) behind_->on_prediction(router, port, vc, packet, outcome, at);
  if (outcome == PredictionOutcome::wrong || outcome == PredictionOutcome::lost)
    router_.waits_[router_.input_vc(port, vc).number].mispredicted();
}

void VcRouter::set_probe(RouterProbe* probe) {
  probe_ = rare_probe_ = probe;
  if (wait_probe_ != nullptr) {
    wait_probe_->set_behind(probe);
    rare_probe_ = wait_probe_.get();
    if (!driver_counts_) probe_ = rare_probe_;
  }
  if (prediction_ != nullptr) prediction_->set_probe(rare_probe_);
}

void VcRouter::begin_counting(bool links_fail) {
  waits_ = arena_.array<InputWaits>(input_vc_count_);
  wait_probe_ = std::make_unique<WaitProbe>(*this);
  counts_rare_waits_ = recovers_ || links_fail;
  set_probe(nullptr);
}

PortState VcRouter::rare_wait(const InputVc& vc) const {
  if (pool_.at(vc.packet).packet_class == PacketClass::recovery) return PortState::recovery;
  const routing::RouteCandidate* const first = va_.candidates(vc);
  const bool all_down = vc.candidates != 0 && std::all_of(first, first + vc.candidates,
                                                          [this](const routing::RouteCandidate& candidate) {
                                                            return outputs_[candidate.port].sender.down();
                                                          });
  return all_down ? PortState::link_down : PortState::no_vc;
}

void VcRouter::settle_waits(const InputVc& vc, Cycle until) const {
  InputWaits& waits = waits_[vc.number];
  if (waits.counted_to() >= until) return;
  const FlitSlot& front = vc.front();
  const Cycle ready = front.holds_flit() ? front.cycle() : never;
  if (waits.paused()) {
    waits.resume(until);
    return waits.pause();
  }
  switch (vc.state) {
    case VcState::idle:
      return waits.idles(ready, until);
    case VcState::routing:
      return waits.routes(until);
    case VcState::waiting:
      return waits.waits(until);
    case VcState::active:
      return waits.holds(ready, vc.out->credit_at(), until);
  }
}

void VcRouter::count_unsent(const InputVc& vc, Cycle now) {
  settle_waits(vc, now);
  waits_[vc.number].moves(now);
}

void VcRouter::leave_heard(InputVc& vc, Cycle now) {
  if ((vc.listeners & FlitRing::counted) != 0) count_flit(waits_[vc.number], vc, now);
  if (vc.listeners != FlitRing::counted) ends_[vc.port].in->notify_freed(now, vc);
  vc.front().free(now + vc.credit_after);
  vc.pass_front();
}

void VcRouter::hear_flits_leave() {
  if (waits_ == nullptr || driver_counts_) return;
  visit_inputs([](InputVc& vc) { vc.listeners |= FlitRing::counted; });
}

std::uint64_t VcRouter::add_waits(Cycle end, InputWaits::Sum& sum) {
  std::uint64_t held = 0;
  visit_inputs([&](const InputVc& vc) {
    settle_waits(vc, end);
    sum.add(waits_[vc.number], end);
    held += vc.flits_held();
  });
  return held;
}

StateCycles VcRouter::waits(unsigned port, unsigned vc, Cycle end) const {
  InputWaits::Sum cycles;
  cycles.add(waits_[input_vc(port, vc).number], end);
  return cycles.by_state();
}

std::uint64_t VcRouter::Abilities::add_waits(Cycle end, InputWaits::Sum& sum) {
  return router_.add_waits(end, sum);
}
StateCycles VcRouter::Abilities::waits(unsigned port, unsigned vc, Cycle end) const {
  return router_.waits(port, vc, end);
}

}  // namespace tsuji::router
