#include "tsuji/router/vc/full_vc_router.h"

// The full driver's part in deadlock recovery (Yoshinaga 2004, 2.2): heads that have waited too long go on by
// the channels of recovery, as far as their destination.

namespace tsuji::router {

/// First in the cycle in which the time is over. A head that is still here gives back what it holds and has
/// not used, and asks anew in this cycle; the flits behind it follow on the channels that they are on.
void FullVcRouter::recover_late_heads(Cycle now) {
  timer_.begin_look();
  for (InputVc& vc : all_vcs()) {
    if (!vc.head_waits() || waits_for_node(vc)) continue;
    Packet& packet = pool_.at(vc.packet);
    if (packet.packet_class == PacketClass::recovery || !timer_.late(vc.since, now)) continue;
    packet.packet_class = PacketClass::recovery;
    ++counters_.recoveries;
    // As between the cycle before and this one.
    forget(vc, now - 1);
  }
}

/// It waits for its node, or holds a virtual channel there: no deadlock.
bool FullVcRouter::waits_for_node(const InputVc& vc) const {
  if (vc.state == VcState::active) return outputs_[vc.out_port].to_node;
  if (vc.state == VcState::routing && vc.ready == never) return false;
  return vc.candidates != 0 && outputs_[va_.candidates(vc)->port].to_node;
}

/// What freedom from deadlock rests on, of a head that has taken an output virtual channel.
void FullVcRouter::check_recovery(const InputVc& vc, Cycle now) const {
  const Packet& packet = pool_.at(vc.packet);
  if (packet.packet_class != PacketClass::recovery || outputs_[vc.out_port].to_node) return;
  const routing::Routing& routing = *routes_.behind();
  if ((routing.recovery_vcs() >> vc.out_vc & 1U) == 0)
    fail(now, vc.packet, "in recovery it leaves the channels of recovery");
  const char* const broken = routing.broken_by(routes_.query(vc.route_input(), packet), vc.out_port);
  if (broken != nullptr) fail(now, vc.packet, "in recovery it " + std::string(broken));
}

}  // namespace tsuji::router
