// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/router/vc/vc_router.h"
#include "tsuji/routing/recovery_checks.h"

// Heads that have waited too long or made too many hops: they are reported, or use the recovery channels up
// to their destination (Yoshinaga 2004, 2.2).

namespace tsuji::router {

/// A route request made on arrival is cancelled: it may have to be made for another class now.
void VcRouter::report_hops(const InputVc& vc, Packet& packet, Cycle now) {
  if (recovers_ && packet.packet_class == PacketClass::recovery) return;
  routes_.drop_early(vc.number, vc.packet, now);
  ++counters_.over_hop_limit;
  if (events_ != nullptr) events_->on_hop_limit(id_, vc.port, vc.vc, vc.packet, now);
  if (!recovers_) return;
  begin_recovery(packet);
  ++counters_.recoveries_by_hops;
}

void VcRouter::begin_recovery(Packet& packet) const {
  packet.packet_class = PacketClass::recovery;
  packet.tables = routes_.generation();
}

void VcRouter::change_tables(const InputVc& vc, Packet& packet, Cycle now) {
  const bool adopts = events_ == nullptr || events_->on_other_tables(id_, vc.port, vc.vc, vc.packet, now);
  if (adopts) packet.tables = routes_.generation();
}

void VcRouter::look_for_late_heads(Cycle now) {
  if (suspended_) return timer_.begin_look();  // resume() schedules an examination
  if (now >= timer_.next_look() && !recovers_) {
    timer_.begin_look();
    for (InputVc& vc : all_vcs()) {
      // A head that has left is the next router's responsibility (rooms/router.md, Where the paper is silent,
      // 1).
      if (!vc.head_waits() || vc.reported || !timer_.late(vc.since, now)) continue;
      vc.reported = true;
      ++counters_.timeouts;
      if (events_ != nullptr) events_->on_blocked(id_, vc.port, vc.vc, vc.packet, now);
    }
  }
  if (timer_.next_look() != never) set_next(timer_.next_look());
}

/// First in the cycle in which the time is over: a head that is still here releases an output that it has not
/// used, and requests its route again in this cycle; flits of other routers follow on the channels that they
/// are on.
void VcRouter::recover_late_heads(Cycle now) {
  timer_.begin_look();
  for (InputVc& vc : all_vcs()) {
    if (!may_time_out(vc) || !timer_.late(vc.since, now)) continue;
    begin_recovery(pool_.at(vc.packet));
    ++counters_.recoveries;
    // Equivalent to an operation between the last cycle and this one.
    forget(vc, now - 1);
  }
}

void VcRouter::visit_timeouts(Cycle now, const std::function<void(unsigned port, unsigned vc)>& visit) const {
  if (!recovers_ || timer_.next_look() > now) return;
  for (const InputVc& vc : all_vcs())
    if (may_time_out(vc) && timer_.is_over(vc.since, now)) visit(vc.port, vc.vc);
}

bool VcRouter::may_time_out(const InputVc& vc) const {
  if (!vc.head_waits()) return false;
  // Its copies may be live: it gets an answer before it requests its route again.
  if (prediction_ != nullptr && prediction_->leak(vc) != nullptr) return false;
  const bool normal = pool_.at(vc.packet).packet_class == PacketClass::normal;
  return !ProgressTimer::spares(waits_for_node(vc), !normal);
}

/// Returns true if the head waits for its node or holds a virtual channel there, which is no deadlock.
bool VcRouter::waits_for_node(const InputVc& vc) const {
  if (vc.state == VcState::active) return outputs_[vc.out_port].to_node;
  if (vc.state == VcState::routing && vc.ready == never) return false;
  return vc.candidates != 0 && outputs_[va_.candidates(vc)->port].to_node;
}

void VcRouter::check_recovery(const InputVc& vc, Cycle now) const {
  const Packet& packet = pool_.at(vc.packet);
  if (packet.packet_class != PacketClass::recovery || outputs_[vc.out_port].to_node) return;
  routing::RouteQuery query = routes_.query(vc.route_input(), packet);
  query.decision = packet.decision;
  const std::string broken = routing::broken_recovery(*routes_.behind(), query, vc.out_port, vc.out_vc);
  if (!broken.empty()) fail(now, vc.packet, broken);
}

}  // namespace tsuji::router
