#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/router/vc_router_state.h"

// What happens to a router between its cycles, and what it tells: early questions and late answers, packets
// that are purged or routed anew, timeouts, views.

namespace tsuji::router {

void VcRouterState::pass_scanned(const InputVc& vc) {
  if (early_.empty()) return;
  unsigned& scanned = early_[vc.number].scanned;
  if (scanned > 0) --scanned;
}

void VcRouterState::scan_arrivals(const InputVc& vc, Cycle now) {
  Early& early = early_[vc.number];
  while (early.scanned < vc.depth()) {
    const FlitSlot& slot = vc.behind_front(early.scanned);
    if (!slot.holds_flit() || slot.cycle() > now) return;
    ++early.scanned;
    const Flit flit = slot.flit();
    if (!flit.is_head() || flit.is_killed() || early.scanned == 1) continue;  // the front asks for itself
    early.questions.emplace_back();
    EarlyQuestion& question = early.questions.back();
    question.packet = flit.packet;
    question.ready = ask(vc, flit.packet, question.ticket, question.ways, now);
  }
}

/// The head that has come to the front asked when it arrived.
bool VcRouterState::take_early_question(InputVc& vc) {
  std::vector<EarlyQuestion>& early = early_[vc.number].questions;
  const auto own = std::find_if(early.begin(), early.end(),
                                [&](const EarlyQuestion& question) { return question.packet == vc.packet; });
  if (own == early.end()) return false;
  remember_ticket(vc, own->ticket);
  vc.ready = own->ready;
  if (vc.ready != never) keep_ways(vc, own->ways);
  early.erase(own);
  return true;
}

void VcRouterState::drop_early_questions(const InputVc& vc, PacketIndex packet, bool all, Cycle now) {
  if (early_.empty()) return;
  std::vector<EarlyQuestion>& early = early_[vc.number].questions;
  for (std::size_t q = early.size(); q-- > 0;) {
    if (!all && early[q].packet != packet) continue;
    if (early[q].ready == never) lookup_.cancel(now, early[q].ticket);
    early.erase(early.begin() + static_cast<std::ptrdiff_t>(q));
  }
}

void VcRouterState::route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& ways) {
  const unsigned v = ticket & ((1U << ticket_vc_bits) - 1U);
  const std::string unasked = "an answer to a question that nobody asked";
  if (v >= vc_count_) throw ModelError("router " + std::to_string(id_), at, "", unasked);
  InputVc& vc = vcs_[v];
  if (ways.size() > max_ways_) too_many_ways(at, pool_.at(vc.packet));
  if (vc.state == VcState::routing && vc.ready == never && tickets_[v] == ticket) {
    vc.ready = at;
    keep_ways(vc, ways);
    board_.set_busy(v);
    if (self_) self_.wake_at(at);
    return;
  }
  for (unsigned q = 0; !early_.empty() && q < early_[v].questions.size(); ++q) {
    EarlyQuestion& question = early_[v].questions[q];
    if (question.ticket != ticket || question.ready != never) continue;
    question.ready = at;
    question.ways = ways;
    return;
  }
  throw ModelError("router " + std::to_string(id_), at, "", unasked);
}

void VcRouterState::check_timeouts(Cycle now) {
  if (now >= timeout_at_) {
    timeout_at_ = never;
    for (InputVc& vc : all_vcs()) {
      // A head that has moved on is the next router's matter (README.md, Where the paper is silent, 1).
      const bool waits = vc.state != VcState::idle && (vc.state != VcState::active || vc.sequence == 0);
      if (!waits || vc.reported) continue;
      const Cycle due = vc.since + config_.block_timeout_cycles;
      if (due > now) {
        timeout_at_ = std::min(timeout_at_, due);
        continue;
      }
      vc.reported = true;
      ++counters_.timeouts;
      if (events_ != nullptr) events_->on_blocked(id_, vc.port, vc.vc, vc.packet, now);
    }
  }
  if (timeout_at_ != never) set_next(timeout_at_);
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
    lookup_.cancel(now, tickets_[vc.number]);
  }
  vc.state = VcState::idle;
  parked_[vc.number / 64] &= ~(std::uint64_t{1} << (vc.number % 64));
  board_.set_busy(vc.number);
}

bool VcRouterState::purge(PacketIndex packet, Cycle now) {
  bool found = false;
  for (InputVc& vc : all_vcs()) {
    drop_early_questions(vc, packet, false, now);
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
    drop_early_questions(vc, 0, true, now);
    if (!early_.empty()) early_[vc.number].scanned = 0;
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

void VcRouterState::too_many_ways(Cycle now, const Packet& packet) const {
  throw ModelError("router " + std::to_string(id_), now, packet_name(packet.id),
                   "a look-up gave too many ways");
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
