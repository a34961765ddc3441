#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/router/vc_router_state.h"

// What happens to a router between its cycles, and what it tells: late answers, packets
// that are purged or routed anew, timeouts, views.

namespace tsuji::router {

void VcRouterState::route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& ways) {
  const unsigned v = RouteComputation::input_of(ticket);
  if (v < vc_count_) routes_.check(ways, pool_.at(vcs_[v].packet), at);
  const RouteComputation::Asker asker = routes_.answer(ticket, at, ways);
  if (asker == RouteComputation::Asker::nobody)
    throw ModelError("router " + std::to_string(id_), at, "", "an answer to a question that nobody asked");
  if (asker == RouteComputation::Asker::behind) return;
  InputVc& vc = vcs_[v];
  vc.ready = at;
  keep_ways(vc, ways);
  board_.set_busy(v);
  if (self_) self_.wake_at(at);
}

void VcRouterState::check_timeouts(Cycle now) {
  if (now >= timer_.next_look()) {
    timer_.begin_look();
    for (InputVc& vc : all_vcs()) {
      // A head that has moved on is the next router's matter (README.md, Where the paper is silent, 1).
      const bool waits = vc.state != VcState::idle && (vc.state != VcState::active || vc.sequence == 0);
      if (!waits || vc.reported || !timer_.late(vc.since, now)) continue;
      vc.reported = true;
      ++counters_.timeouts;
      if (events_ != nullptr) events_->on_blocked(id_, vc.port, vc.vc, vc.packet, now);
    }
  }
  if (timer_.next_look() != never) set_next(timer_.next_look());
}

/// The front packet's state goes; its flits stay where they are.
void VcRouterState::forget(InputVc& vc, Cycle now) {
  tell(vc, HeadStage::none, now + 1);
  const bool left = vc.state == VcState::active && vc.sequence != 0;
  if (vc.state != VcState::idle && !left) --pool_.at(vc.packet).hops;
  if (vc.state == VcState::active) {
    if (requesting(vc.number)) withdraw<false>(vc);
    release_output(vc);
    unpark();
  } else if (vc.state == VcState::routing && vc.ready == never) {
    routes_.cancel(vc.number, now);
  }
  vc.state = VcState::idle;
  parked_[vc.number / 64] &= ~(std::uint64_t{1} << (vc.number % 64));
  board_.set_busy(vc.number);
}

bool VcRouterState::purge(PacketIndex packet, Cycle now) {
  bool found = false;
  for (InputVc& vc : all_vcs()) {
    routes_.drop_early(vc.number, packet, now);
    if (vc.state == VcState::idle || vc.packet != packet) continue;
    forget(vc, now);
    found = true;
  }
  for (unsigned p = 0; p < port_count_; ++p) {
    const Port& port = ports_[p];
    if (ends_[p].in == nullptr || ends_[p].in->kill(packet) == 0) continue;
    for (unsigned v = 0; v < port.in_vcs; ++v) board_.set_busy(port.first_in + v);
    found = true;
  }
  if (found && self_) self_.wake_at(now + 1);
  return found;
}

void VcRouterState::route_again(unsigned port, unsigned vc, Cycle now) {
  InputVc& waiting = vcs_[ports_[port].first_in + vc];
  if (waiting.state == VcState::idle || (waiting.state == VcState::active && waiting.sequence != 0)) return;
  forget(waiting, now);
  if (self_) self_.wake_at(now + 1);
}

void VcRouterState::route_all_again(Cycle now) {
  for (InputVc& vc : all_vcs()) {
    routes_.drop_all_early(vc.number, now);
    route_again(vc.port, vc.vc, now);
  }
}

void VcRouterState::visit_holders(unsigned port, const std::function<void(PacketIndex)>& visit) const {
  for (const InputVc& vc : all_vcs()) {
    if (vc.state == VcState::active && vc.sequence != 0 && vc.out_port == port) visit(vc.packet);
  }
}

Cycle VcRouterState::last_event(Cycle now) const {
  Cycle last = 0;
  for (const InputVc& vc : all_vcs()) {
    if (vc.state != VcState::routing && vc.state != VcState::active) continue;
    last = std::max(last, vc.ready == never ? now : vc.ready);
  }
  for (unsigned p = 0; careful_ && p < port_count_; ++p)
    last = std::max(last, uses_[p].free_at + config_.vc_change_cycles);
  return last;
}

RouterCounters VcRouterState::counters() const {
  RouterCounters counters = counters_;
  for (const Port& port : all_ports()) counters.flits += port.sender.flits();
  return counters;
}

VcView VcRouterState::view(unsigned port, unsigned vc) const {
  const InputVc& from = vcs_[ports_[port].first_in + vc];
  VcView view;
  view.state = from.state;
  view.packet = from.packet;
  view.out_port = from.out_port;
  view.out_vc = from.out_vc;
  view.has_flit = from.front().holds_flit();
  view.blocked_since = from.since;
  return view;
}

std::vector<routing::RouteCandidate> VcRouterState::ways(unsigned port, unsigned vc) const {
  const InputVc& from = vcs_[ports_[port].first_in + vc];
  return {ways_of(from), ways_of(from) + from.ways};
}

void VcRouterState::fail(Cycle now, PacketIndex packet, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, packet_name(pool_.at(packet).id), what);
}

void VcRouterState::out_of_order(Cycle now, const InputVc& vc, const FlitSlot& slot) const {
  fail(now, slot.packet(),
       "flit " + std::to_string(slot.sequence()) + " came on port " + std::to_string(vc.port) +
           ", virtual channel " + std::to_string(vc.vc) + ", where flit " + std::to_string(vc.sequence) +
           " of packet " + packet_name(pool_.at(vc.packet).id) + " was due");
}

}  // namespace tsuji::router
