// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/router/vc/full_vc_router.h"
#include "tsuji/router/vc/vc_router.h"

// Operations of a router between its cycles, and its reports: late answers, purged and rerouted packets,
// views.

namespace tsuji::router {

std::string VcRouter::stands_for() const {
  const std::string text = prediction_ == nullptr ? "input-buffered virtual-channel router"
                                                  : "prediction router (Tateshita 2009, section 2.1)";
  return text + (recovers_ ? ", with recovery from deadlock (Yoshinaga 2004, section 4.1)" : "");
}

// Defined here and not next to the cycle, since the compiler inlines less of the cycle if there is more code.
void FullVcRouter::add_switch_allocator(PartList& parts) const {
  parts.add("switch_allocator", *switch_);
}

void VcRouter::add_parts(PartList& parts) const {
  if (input_vc_count_ != 0) parts.add("buffers", vcs_[0]);
  parts.add("lookup", routes_.lookup());
  parts.add("vc_allocator", va_.allocator());
  add_switch_allocator(parts);
  if (timer_.runs()) parts.add("block_timer", timer_);
  if (prediction_ != nullptr) prediction_->add_parts(parts);
  if (port_count_ != 0) parts.add("outputs", outputs_[0]);
}

void VcRouter::route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& routes) {
  const unsigned input_vc = RouteComputation::input_of(ticket);
  if (input_vc < input_vc_count_) routes_.check(routes, pool_.at(vcs_[input_vc].packet), at);
  const RouteComputation::Asker asker = routes_.answer(ticket, at, routes);
  if (asker == RouteComputation::Asker::nobody)
    throw ModelError("router " + std::to_string(id_), at, "", "an answer without an outstanding look-up");
  if (asker == RouteComputation::Asker::behind) return;
  InputVc& vc = vcs_[input_vc];
  vc.ready = at;
  va_.keep(vc, routes);
  calendar_.set_busy(input_vc);
  alarm_.wake_at(at);
}

void VcRouter::forget(InputVc& vc, Cycle now) {
  tell_rare(vc, HeadStage::none, now + 1);
  if (prediction_ != nullptr) prediction_->catch_up(now);
  if (vc.head_waits()) --pool_.at(vc.packet).hops;
  if (waiting_ != nullptr && vc.state != VcState::idle)
    waiting_->forget(vc, va_.candidates(vc), pool_.at(vc.packet).flits, now);
  if (vc.state == VcState::active) {
    if (prediction_ != nullptr) prediction_->may_be_quiet(vc);
    drop_requests(vc);
    release_output_vc(vc);
    unpark();
  } else if (vc.state == VcState::routing && vc.ready == never) {
    routes_.cancel(vc.number, now);
  }
  if (prediction_ != nullptr) prediction_->recall(vc);
  vc.finish();
  va_.forget(vc);
  calendar_.set_busy(vc.number);
}

PurgedPart VcRouter::purge(PacketIndex packet, unsigned port, unsigned vc, Cycle now) {
  InputVc& from = vcs_[outputs_[port].first_in + vc];
  PurgedPart part;
  routes_.drop_early(from.number, packet, now);
  if (from.state != VcState::idle && from.packet == packet) {
    part = {true, from.head_left(), from.out_port, from.out_vc};
    if (standing_ != nullptr) standing_[from.number] = {};
    forget(from, now);
  }
  if (ends_[port].in->kill(packet, vc) != 0) {
    calendar_.set_busy(from.number);
    part.found = true;
  }
  if (part.found) alarm_.wake_at(now + 1);
  return part;
}

void VcRouter::route_again(unsigned port, unsigned vc, Cycle now) {
  InputVc& waiting = vcs_[outputs_[port].first_in + vc];
  if (!waiting.head_waits()) return;
  forget(waiting, now);
  alarm_.wake_at(now + 1);
}

void VcRouter::route_all_again(Cycle now) {
  for (InputVc& vc : all_vcs()) {
    if (routes_.drop_all_early(vc.number, now)) {
      calendar_.set_busy(vc.number);
      alarm_.wake_at(now + 1);
    }
    route_again(vc.port, vc.vc, now);
  }
}

void VcRouter::exchange_routing(const routing::RoutingView& view, Cycle now) {
  routes_.exchange(view, now);
  if (routes_.reads_waiting() && waiting_ == nullptr)
    throw ModelError("router " + std::to_string(id_), now, "",
                     "a routing of generation " + std::to_string(view.generation) +
                         " reads waiting flits, which this router does not count");
  show_credits();
  for (InputVc& vc : all_vcs()) {
    if (routes_.drop_all_early(vc.number, now)) calendar_.set_busy(vc.number);
    // A head of a suspended router has no open request.
    if (suspended_ && vc.head_waits() && pool_.at(vc.packet).packet_class == PacketClass::normal) continue;
    if (vc.state == VcState::routing || vc.state == VcState::waiting) forget(vc, now);
  }
  alarm_.wake_at(now + 1);
}

void VcRouter::suspend(bool suspended, Cycle now) {
  if (suspended == suspended_) return;
  routes_.hold(suspended, now);
  suspended_ = suspended;
  if (standing_ == nullptr) standing_ = std::make_unique<Standing[]>(input_vc_count_);
  for (InputVc& vc : all_vcs()) {
    if (suspended) standing_[vc.number] = {};
    if (routes_.drop_all_early(vc.number, now)) calendar_.set_busy(vc.number);
    if (!vc.head_waits() || pool_.at(vc.packet).packet_class != PacketClass::normal) continue;
    if (suspended)
      stand(vc, now);
    else
      resume(vc, now);
  }
  alarm_.wake_at(now + 1);
}

/// Suspends a head: it releases its output, and starts again in the next cycle, without getting an answer.
void VcRouter::stand(InputVc& vc, Cycle now) {
  standing_[vc.number] = {vc.packet, now + 1 - vc.since};
  tell_rare(vc, HeadStage::standing, now + 1);
  forget(vc, now);
}

/// Resumes a head: it requests its route in the next cycle, with the age that it had before the suspension. A
/// head that arrived during the suspension has age 0.
void VcRouter::resume(InputVc& vc, Cycle now) {
  const Standing& stood = standing_[vc.number];
  Packet& packet = pool_.at(vc.packet);
  vc.since = now + 1 - (stood.packet == vc.packet ? stood.waited_cycles : 0);
  tell_rare(vc, HeadStage::route_computation, now + 1);
  --packet.hops;
  if (timer_.too_many(packet.hops)) report_hops(vc, packet, now + 1);
  if (packet.packet_class == PacketClass::normal || !recovers_) timer_.start(vc.since);
  routing::RouteSet routes;
  vc.ready = routes_.ask(vc.route_input(), packet, routes, now + 1);
  ++packet.hops;
  if (vc.ready == never) return;
  va_.keep(vc, routes);
  calendar_.set_busy(vc.number);
}

void VcRouter::visit_holders(unsigned port, const std::function<void(const OutputHolder&)>& visit) const {
  for (const InputVc& vc : all_vcs()) {
    if (vc.head_left() && vc.out_port == port) visit({vc.packet, vc.port, vc.vc, vc.out_vc});
  }
}

Cycle VcRouter::last_event(Cycle now) const {
  Cycle last = 0;
  for (const InputVc& vc : all_vcs()) {
    if (vc.state != VcState::routing && vc.state != VcState::active) continue;
    last = std::max(last, vc.ready == never ? now : vc.ready);
  }
  for (unsigned p = 0; uses_ != nullptr && p < port_count_; ++p)
    last = std::max(last, uses_[p].free_at + config_.vc_change_cycles);
  return last;
}

RouterCounters VcRouter::counters() const {
  RouterCounters counters = counters_;
  for (unsigned p = 0; p < port_count_; ++p) counters.flits += outputs_[p].sender.flits();
  return counters;
}

PredictionCounters VcRouter::prediction_counters() const {
  PredictionCounters sum;
  for (unsigned port = 0; port < port_count_; ++port) sum += prediction_counters_at(port);
  return sum;
}

VcView VcRouter::view(unsigned port, unsigned vc) const {
  const InputVc& from = vcs_[outputs_[port].first_in + vc];
  VcView view;
  view.state = from.state;
  view.packet = from.packet;
  view.out_port = from.out_port;
  view.out_vc = from.out_vc;
  view.has_flit = from.front().holds_flit();
  view.blocked_since = from.since;
  return view;
}

std::vector<routing::RouteCandidate> VcRouter::candidates(unsigned port, unsigned vc) const {
  const InputVc& from = vcs_[outputs_[port].first_in + vc];
  return {va_.candidates(from), va_.candidates(from) + from.candidates};
}

void VcRouter::fail(Cycle now, PacketIndex packet, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, packet_name(pool_.at(packet).id), what);
}

void VcRouter::check_grant(const VcRequest& request, Cycle now) const {
  const InputVc& vc = vcs_[request.input_vc];
  const bool free = request.granted < 16 && (outputs_[request.port].free_vcs >> request.granted & 1U) != 0;
  const char* reason = free ? nullptr : "the channel has another grant";
  if (request.granted >= 16 || (request.vcs >> request.granted & 1U) == 0) {
    reason = "the head does not request that";
  } else if (vc.state != VcState::waiting) {
    reason = "the head has another grant";
  }
  if (reason == nullptr) return;
  fail(now, vc.packet,
       "router.va_allocator " + config_.va_allocator + " grants virtual channel " +
           std::to_string(request.granted) + " of output " + std::to_string(request.port) +
           " to virtual channel " + std::to_string(vc.vc) + " of input " + std::to_string(vc.port) + ": " +
           reason);
}

void VcRouter::out_of_order(Cycle now, const InputVc& vc, const FlitSlot& slot) const {
  fail(now, slot.packet(),
       "flit " + std::to_string(slot.sequence()) + " came on port " + std::to_string(vc.port) +
           ", virtual channel " + std::to_string(vc.vc) + ", where flit " + std::to_string(vc.sequence) +
           " of packet " + packet_name(pool_.at(vc.packet).id) + " was expected");
}

PurgedPart VcRouter::Abilities::purge(PacketIndex packet, unsigned port, unsigned vc, Cycle now) {
  return router_.purge(packet, port, vc, now);
}
void VcRouter::Abilities::visit_holders(unsigned port,
                                        const std::function<void(const OutputHolder&)>& visit) const {
  router_.visit_holders(port, visit);
}
void VcRouter::Abilities::route_again(unsigned port, unsigned vc, Cycle now) {
  router_.route_again(port, vc, now);
}
void VcRouter::Abilities::route_all_again(Cycle now) {
  router_.route_all_again(now);
}
void VcRouter::Abilities::exchange_routing(const routing::RoutingView& view, Cycle now) {
  router_.exchange_routing(view, now);
}
std::uint32_t VcRouter::Abilities::routing_generation() const {
  return router_.routing_generation();
}
void VcRouter::Abilities::suspend(bool suspended, Cycle now) {
  router_.suspend(suspended, now);
}
void VcRouter::Abilities::visit_timeouts(Cycle now,
                                         const std::function<void(unsigned port, unsigned vc)>& visit) const {
  router_.visit_timeouts(now, visit);
}
void VcRouter::Abilities::set_probe(RouterProbe* probe) {
  router_.set_probe(probe);
}
PredictionCounters VcRouter::Abilities::prediction_counters() const {
  return router_.prediction_counters();
}
PredictionCounters VcRouter::Abilities::prediction_counters_at(unsigned port) const {
  return router_.prediction_counters_at(port);
}
std::uint64_t VcRouter::Abilities::predictor_bits() const {
  return router_.prediction_->predictor_bits();
}

}  // namespace tsuji::router
