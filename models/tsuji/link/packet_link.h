// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// Signal of room in the receiver's FIFOs (rooms/link.md, PacketLink). wire: one level wire a FIFO, which the
/// sender does not trust before it can know of the last packet; credits: one for each slot that is freed.
/// They differ where a FIFO has several slots and a packet is shorter than the channel's round trip.
enum class RoomSignal : std::uint8_t { wire, credits };

/// A transfer on a channel: the head of a packet in one cycle; its other flits follow, one a cycle, so that
/// the last passes `packet->flits - 1` cycles later. Port bit f says that the packet is written into the
/// receiving side's FIFO f (a switch has one FIFO an output; a network interface has one).
struct PacketTransfer {
  PacketRef packet;
  std::uint32_t port_bits = 0;
  std::uint16_t hops = 0;  ///< switches passed so far
};

/// The sending end of a channel with one "room for a whole packet" wire for each FIFO of the receiver.
class PacketOutIf : public virtual sc_core::sc_interface {
 public:
  /// Head on the wires in cycle `now`; at the receiver at now + latency. One sender, one packet at a time:
  /// the next head may follow `flits` cycles later. Sending into a FIFO without room is a ModelError.
  virtual void send(Cycle now, PacketTransfer&& transfer) = 0;
  /// The room wires as the sender sees them in cycle `now`, in which no packet passes: bit f is set if FIFO f
  /// takes a whole packet and does not still owe the answer for the last one it was sent.
  virtual std::uint32_t room(Cycle now) const = 0;
  /// The cycle in which the room wire of FIFO `fifo` is known to rise, or `never` while that is open; the
  /// sender is then woken by the channel if it asked with watch_room.
  virtual Cycle room_at(unsigned fifo) const = 0;
  /// Wakes the sender when the room wire of one of these FIFOs rises (once; asked anew after each wake-up).
  virtual void watch_room(std::uint32_t fifos) = 0;
  virtual void bind_sender(Clocked& sender) = 0;
};

/// The receiving end.
class PacketInIf : public virtual sc_core::sc_interface {
 public:
  /// Takes the oldest packet whose head has arrived by `now`; `arrival` is the cycle of its head here, which
  /// may lie before `now`. False if there is none.
  virtual bool receive(Cycle now, PacketTransfer& transfer, Cycle& arrival) = 0;
  /// The oldest packet of FIFO `fifo` gives its slot back in cycle `at` (now or later): the room wire, a
  /// register, changes a cycle later and the sender sees it after the channel's latency (rooms/link.md,
  /// Where the paper is silent, 1).
  virtual void release(unsigned fifo, Cycle at) = 0;
  /// The receiver is woken `lag` cycles after a head arrives: a module that cannot act on a packet before its
  /// pipeline is through has nothing to do earlier.
  virtual void bind_receiver(Clocked& receiver, unsigned fifos, unsigned slots_per_fifo, Cycle lag) = 0;
};

/// Observer of a channel's traffic, which may spoil it.
class PacketLinkProbe {
 public:
  virtual ~PacketLinkProbe() = default;
  /// The head leaves in cycle `now`; a fault injector may replace the packet in `transfer` or return false to
  /// lose it.
  virtual bool on_send(Cycle now, PacketTransfer& transfer) = 0;
  /// The sender's view of FIFO `fifo` gains a slot in cycle `at`.
  virtual void on_room(unsigned fifo, Cycle at) = 0;
};

/// A timed channel between two modules of one clock: packets forward, room wires back. Values carry the cycle
/// from which they are visible (latency >= 1), so there are neither delta cycles nor an update phase and the
/// order in which its two ends run does not matter. Not a module: a named object with slots.
class PacketLink final : public sc_core::sc_object, public PacketOutIf, public PacketInIf, public Described {
 public:
  std::string stands_for() const override { return "channel with room wires back (Kanoh 2000, section 3)"; }
  /// `latency_cycles` >= 1: the channel's own cycle plus the cable's.
  PacketLink(const char* name, Cycle latency_cycles, RoomSignal room_signal = RoomSignal::wire);

  void send(Cycle now, PacketTransfer&& transfer) override;
  std::uint32_t room(Cycle now) const override {
    std::uint32_t wires = 0;
    for (unsigned fifo = 0; fifo < fifos_; ++fifo)
      wires |= static_cast<std::uint32_t>(room_at(fifo) <= now) << fifo;
    return wires;
  }
  Cycle room_at(unsigned fifo) const override { return usable_at_[fifo * slots_ + write_[fifo]]; }
  void watch_room(std::uint32_t fifos) override { watched_ = fifos; }
  void bind_sender(Clocked& sender) override { sender_ = &sender; }

  bool receive(Cycle now, PacketTransfer& transfer, Cycle& arrival) override {
    if (flying_ == 0 || ring_[head_].arrival > now) return false;
    arrival = ring_[head_].arrival;
    transfer = std::move(ring_[head_].transfer);
    head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
    --flying_;
    return true;
  }
  void release(unsigned fifo, Cycle at) override {
    Cycle& usable = usable_at_[fifo * slots_ + read_[fifo]];
    if (usable != never) refuse_release(fifo, at);
    usable = at + 1 + latency_;
    read_[fifo] = next_slot(read_[fifo]);
    if (probe_ != nullptr) probe_->on_room(fifo, usable);
    if (usable < all_trusted_at_) usable = std::max(usable, trusted_at_[fifo]);
    if ((watched_ >> fifo & 1U) != 0) sender_->wake_at(usable);
  }
  void bind_receiver(Clocked& receiver, unsigned fifos, unsigned slots_per_fifo, Cycle lag) override;

  /// Between two cycles: packets under way are gone, and all slots are free.
  void clear();

  Cycle latency_cycles() const { return latency_; }
  unsigned fifos() const { return fifos_; }
  /// Flits put on the wires, for utilization.
  std::uint64_t flits_sent() const { return flits_sent_; }
  std::uint64_t packets_sent() const { return packets_sent_; }
  /// Packets that the receiver has not fetched yet, the oldest first.
  void visit_flying(const std::function<void(const PacketTransfer&, Cycle arrival)>& visit) const {
    for (std::size_t i = 0; i < flying_; ++i) {
      const Flying& place = ring_[(head_ + i) % ring_.size()];
      visit(place.transfer, place.arrival);
    }
  }
  /// Their flits.
  std::uint64_t flying_flits() const {
    std::uint64_t flits = 0;
    for (std::size_t i = 0; i < flying_; ++i)
      flits += ring_[(head_ + i) % ring_.size()].transfer.packet->flits;
    return flits;
  }
  /// Hooks for waveforms and fault injection; null, the default, costs a test of a pointer.
  void set_probe(PacketLinkProbe* probe) { probe_ = probe; }
  PacketLinkProbe* probe() const { return probe_; }
  unsigned slots_per_fifo() const { return slots_; }

 private:
  std::uint8_t next_slot(std::uint8_t slot) const {
    return static_cast<std::uint8_t>(slot + 1U == slots_ ? 0 : slot + 1);
  }
  [[noreturn]] void refuse_send(Cycle now, const PacketTransfer& transfer, const char* why) const;
  [[noreturn]] void refuse_release(unsigned fifo, Cycle at) const;
  void lose(const PacketTransfer& transfer, Cycle at);
  /// The wires of these FIFOs cannot know yet of the head that leaves now.
  void distrust(Cycle now, std::uint32_t fifos);

  struct Flying {
    Cycle arrival = 0;
    PacketTransfer transfer;
  };

  const Cycle latency_;
  const Cycle untrusted_cycles_;  ///< from a head's departure to the first cycle in which a wire knows of it
  Clocked* sender_ = nullptr;
  Clocked* receiver_ = nullptr;
  Cycle lag_ = 0;
  unsigned fifos_ = 0;
  unsigned slots_ = 0;
  std::uint32_t watched_ = 0;
  Cycle busy_until_ = 0;
  std::vector<Flying> ring_;  ///< heads under way, oldest at head_
  std::size_t head_ = 0;
  std::size_t flying_ = 0;
  /// usable_at_[fifo * slots + s]: the cycle from which the sender may fill slot s again. Slots of a FIFO are
  /// filled and freed in turn, so this is the room signal with its whole history.
  std::vector<Cycle> usable_at_;
  std::vector<Cycle> trusted_at_;  ///< per FIFO: from when on its wire knows of the last short packet
  Cycle all_trusted_at_ = 0;       ///< the latest of them
  std::vector<std::uint8_t> write_, read_;
  std::uint64_t flits_sent_ = 0, packets_sent_ = 0;
  PacketLinkProbe* probe_ = nullptr;
};

inline void PacketLink::send(Cycle now, PacketTransfer&& transfer) {
  const unsigned flits = transfer.packet->flits;
  if (now < busy_until_) refuse_send(now, transfer, "sent while the channel carries another packet");
  if (transfer.port_bits == 0) refuse_send(now, transfer, "sent into no FIFO");
  busy_until_ = now + flits;
  flits_sent_ += flits;
  ++packets_sent_;
  for (std::uint32_t bits = transfer.port_bits; bits != 0; bits &= bits - 1) {
    const auto fifo = static_cast<unsigned>(__builtin_ctz(bits));
    if (fifo >= fifos_ || room_at(fifo) > now) refuse_send(now, transfer, "sent into a FIFO without room");
    usable_at_[fifo * slots_ + write_[fifo]] = never;
    write_[fifo] = next_slot(write_[fifo]);
  }
  // A longer packet keeps the channel itself for as long.
  if (flits < untrusted_cycles_) distrust(now, transfer.port_bits);
  if (probe_ != nullptr && !probe_->on_send(now, transfer)) {
    lose(transfer, now + flits);
    return;
  }
  std::size_t tail = head_ + flying_;
  if (tail >= ring_.size()) tail -= ring_.size();
  Flying& place = ring_[tail];
  ++flying_;
  place.arrival = now + latency_;
  place.transfer = std::move(transfer);
  receiver_->wake_at(place.arrival + lag_);
}

}  // namespace tsuji
