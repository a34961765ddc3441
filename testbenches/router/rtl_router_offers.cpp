// SPDX-License-Identifier: Apache-2.0
#include "router/rtl_router_parts.h"

// Inputs at which a flit waits for the RTL: valid and ready, on and off, and credits of a buffer smaller than
// its network's. Outputs without credits.

namespace tsuji::bench {
namespace {

/// The lowest bit of `mask` above bit `turn`, or the lowest of all. `mask` is not 0.
unsigned next_in_turn(std::uint64_t mask, unsigned turn) {
  const std::uint64_t above = mask & ~((std::uint64_t{2} << turn) - 1);
  return static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : mask));
}

}  // namespace

/// Virtual channels whose flits the RTL's input takes in this cycle, a bit each.
std::uint64_t RtlRouter::open_vcs(Port& port, Lane& lane, Cycle now) const {
  const RtlDescription& about = rtl_->about;
  if (about.flow == RtlFlow::credits) {
    std::uint64_t open = 0;
    for (unsigned vc = 0; vc < port.in->vcs(); ++vc)
      if (port.open[vc].flits() < port.depth_flits) open |= std::uint64_t{1} << vc;
    return open & lane.mask();
  }
  std::uint64_t open = lane.pins->in_credit.read_mask() << lane.first_vc;
  if (about.off_is_high) open ^= lane.mask();
  if (about.flow != RtlFlow::on_off) return open;
  // A sender's register lies between the wire and its flit.
  lane.was_on[now % lane.was_on.size()] = open;
  return lane.was_on[(now + 1) % lane.was_on.size()];
}

/// The oldest flit of a virtual channel that waits at the input; null: there is none.
const FlitSlot* RtlRouter::waiting(const Port& port, unsigned vc, Cycle now) {
  if (port.gone[vc] == port.in->depth_flits()) return nullptr;
  const FlitSlot& slot = port.in->ring(vc).behind_front(port.gone[vc]);
  return slot.holds_flit() && slot.cycle() + port.flit_delay[vc] <= now ? &slot : nullptr;
}

/// Virtual channels with a flit that waits at the input, a bit each.
std::uint64_t RtlRouter::waiting_vcs(const Port& port, Cycle now) {
  std::uint64_t waiting = 0;
  for (unsigned vc = 0; vc < port.in->vcs(); ++vc)
    if (RtlRouter::waiting(port, vc, now) != nullptr) waiting |= std::uint64_t{1} << vc;
  return waiting;
}

/// Shows a flit at the pins: of the virtual channels that the RTL takes, in turn. With valid and ready one
/// that it does not take yet is shown, too, as ready may wait for valid.
void RtlRouter::offer(Port& port, Lane& lane, Cycle now) {
  const std::uint64_t open = open_vcs(port, lane, now);
  // A flit that is shown stays.
  const std::uint64_t waiting = lane.shown == no_vc && stalls() ? 0 : waiting_vcs(port, now) & lane.mask();
  const bool may_wait = rtl_->about.flow == RtlFlow::valid_ready;
  if (waiting == 0 || (!may_wait && (waiting & open) == 0)) {
    lane.pins->in.valid.write(0);
    lane.shown = no_vc;
    return;
  }
  const bool stays = may_wait && (waiting & open) == 0 && lane.shown != no_vc;
  const unsigned vc = stays                   ? lane.shown
                      : (waiting & open) != 0 ? next_in_turn(waiting & open, lane.turn)
                                              : next_in_turn(waiting, lane.turn);
  const std::uint64_t bit = std::uint64_t{1} << vc;
  if (lane.shown == vc && (port.offered & bit) != 0) return;
  const FlitSlot& front = *RtlRouter::waiting(port, vc, now);
  PinFlit flit;
  flit.valid = true;
  flit.head = front.head();
  flit.tail = front.tail();
  flit.vc = static_cast<std::uint8_t>(vc);
  flit.packet = front.packet();
  if ((port.offered & bit) == 0) port.payload[vc] = enter(port, flit, now);
  port.offered |= bit;
  lane.shown = vc;
  show_flit(port, flit, port.payload[vc]);
  if (rtl_->about.flow != RtlFlow::credits) return;
  port.in->take_out(vc, port.gone[vc]++);
  end_offer(port, lane);
}

/// A flit that was shown and is not taken yet is in the buffer, too.
void RtlRouter::visit_held_twice(const std::function<void(PacketIndex)>& visit) const {
  for (const auto& port : ports_) {
    for (unsigned vc = 0; port->in != nullptr && vc < port->in->vcs(); ++vc)
      if ((port->offered >> vc & 1) != 0) visit(port->in->ring(vc).behind_front(port->gone[vc]).packet());
  }
}

/// The flit at the pins is in the RTL.
void RtlRouter::end_offer(Port& port, Lane& lane) {
  port.offered &= ~(std::uint64_t{1} << lane.shown);
  port.flit_delay[lane.shown] = draw_delay();
  lane.turn = lane.shown;
  lane.shown = no_vc;
}

/// The flit that was taken at the input.
void RtlRouter::take_offer(Port& port, Lane& lane, Cycle now) {
  if (lane.shown == no_vc) return;
  const std::uint64_t bit = std::uint64_t{1} << (lane.shown - lane.first_vc);
  if (rtl_->about.flow == RtlFlow::valid_ready && (lane.pins->in_credit.read_mask() & bit) == 0) return;
  port.in->pop(now, lane.shown);
  end_offer(port, lane);
}

/// Cycle from which an output virtual channel without credits shows a place at the far end, and with on and
/// off the reserve after it; `never`: not yet known.
Cycle RtlRouter::place_at(const Port& port, unsigned vc) const {
  const unsigned places = rtl_->about.flow == RtlFlow::on_off ? 1 + rtl_->about.reserve_flits : 1;
  const Cycle at = port.places_at(vc, places);
  return at == never ? never : at + port.place_delay[vc];
}

/// Virtual channels that have such a place.
void RtlRouter::show_ready(Port& port, const Lane& lane, bool stalled, Cycle now) {
  std::uint64_t open = 0;
  for (unsigned vc = 0; vc < port.out->vcs() && !stalled; ++vc)
    if (place_at(port, vc) <= now) open |= std::uint64_t{1} << vc;
  if (rtl_->about.off_is_high) open ^= lane.mask();
  lane.pins->out_credit.write_mask((open & lane.mask()) >> lane.first_vc);
}

/// Places at the far end that are free again, for the model beside the RTL: as early as credits would be.
void RtlRouter::shadow_places(const Port& port, Cycle now) {
  for (unsigned vc = 0; vc < port.out->vcs(); ++vc) {
    const FlitRing& ring = port.sender.ring(vc);
    const unsigned depth = ring.depth();
    while (const auto away = static_cast<unsigned>(packet_shadow_->away(port.number, vc)) - port.queued[vc]) {
      const FlitSlot& oldest = ring.slots[(ring.write / FlitRing::slot_words + depth - away) % depth];
      if (oldest.holds_flit() || oldest.cycle() > now + around_.credit_process_cycles) break;
      packet_shadow_->credit(port.number, vc);
    }
  }
}

/// Returns false for a flit that is shown and waits for ready.
bool RtlRouter::passes(const Port& port, unsigned vc) const {
  const Lane& lane = port.lane(vc);
  return rtl_->about.flow != RtlFlow::valid_ready || vc >= port.holder.size() ||
         (lane.pins->out_credit.read_mask() >> (vc - lane.first_vc) & 1) != 0;
}

/// Returns true if no virtual channel waits for a place at the far end.
bool RtlRouter::is_open(const Port& port, Cycle now) const {
  if (rtl_->about.flow == RtlFlow::credits) return true;
  for (unsigned vc = 0; vc < port.out->vcs(); ++vc)
    if (place_at(port, vc) > now) return false;
  return true;
}

}  // namespace tsuji::bench
