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

/// Backpressure signal from the receiver's FIFOs (rooms/link.md, PacketLink). wire: one level signal per
/// FIFO; the sender ignores it until it can reflect the last packet sent. credits: one credit per freed slot.
/// The two differ only if a FIFO has several slots and a packet is shorter than the round trip of the
/// channel.
enum class RoomSignal : std::uint8_t { wire, credits };

/// A transfer on a channel: the head of a packet in one cycle. The other flits follow, one per cycle, so the
/// last one passes `packet->flits - 1` cycles later. Port bit f means that the packet is written into FIFO f
/// of the receiver (a switch has one FIFO per output, a network interface has one).
struct PacketTransfer {
  PacketRef packet;             ///< the whole packet, of which the head is on the wires
  std::uint32_t port_bits = 0;  ///< FIFOs of the receiver that store the packet, one bit each; not 0
  std::uint16_t hops = 0;       ///< switches passed by the packet
};

/// Sending end of a channel with one "room for a whole packet" signal for each FIFO of the receiver.
class PacketOutIf : public virtual sc_core::sc_interface {
 public:
  /// Puts the head of a packet on the wires in cycle `now`; it arrives at now + latency. The next head may
  /// follow `flits` cycles later. ModelError for a FIFO without room, or while another packet passes.
  virtual void send(Cycle now, PacketTransfer&& transfer) = 0;
  /// The room signals as the sender sees them in cycle `now`, in which no packet passes: bit f is set if FIFO
  /// f has room for a whole packet and its signal reflects the last packet sent into it.
  virtual std::uint32_t room(Cycle now) const = 0;
  /// The cycle in which the room signal of FIFO `fifo` rises, or `never` if that is not known yet; then
  /// watch_room() wakes the sender.
  virtual Cycle room_at(unsigned fifo) const = 0;
  /// Requests one wake-up of the sender when the room signal of one of these FIFOs rises. To be repeated
  /// after each wake-up.
  virtual void watch_room(std::uint32_t fifos) = 0;
  /// Binds the sender, which is woken by watch_room(). Called once, before the first cycle.
  virtual void bind_sender(Clocked& sender) = 0;
};

/// Receiving end of a channel.
class PacketInIf : public virtual sc_core::sc_interface {
 public:
  /// Takes the oldest packet whose head has arrived by `now`; `arrival` is the cycle of its arrival, at most
  /// `now`. Returns false if there is none.
  virtual bool receive(Cycle now, PacketTransfer& transfer, Cycle& arrival) = 0;
  /// Frees the slot of the oldest packet of FIFO `fifo` in cycle `at` (now or later). The room signal, a
  /// register, changes one cycle later, and the sender sees it after the channel's latency (rooms/link.md,
  /// Where the paper is silent, 1). ModelError if all slots are free.
  virtual void release(unsigned fifo, Cycle at) = 0;
  /// Lag of a receiver that is woken when a packet's last flit has passed.
  static constexpr Cycle whole_packet = never;
  /// Binds the receiver, which is woken `lag` cycles after the arrival of a head: the latency of its input
  /// pipeline, or whole_packet.
  virtual void bind_receiver(Clocked& receiver, unsigned fifos, unsigned slots_per_fifo, Cycle lag) = 0;
};

/// Observer of a channel, which may also modify its packets.
class PacketLinkProbe {
 public:
  virtual ~PacketLinkProbe() = default;
  /// A head leaves in cycle `now`. A fault injector may replace the packet in `transfer`; returning false
  /// drops it.
  virtual bool on_send(Cycle now, PacketTransfer& transfer) = 0;
  /// In cycle `at` the sender sees one more free slot of FIFO `fifo`.
  virtual void on_room(unsigned fifo, Cycle at) = 0;
};

/// Timed channel between two modules of one clock: packets forward, room signals backward. Each value is
/// stored with the cycle from which it is visible (latency >= 1). There are neither delta cycles nor an
/// update phase, and the order of the two ends within a cycle does not matter. An sc_object, not an
/// sc_module.
class PacketLink final : public sc_core::sc_object, public PacketOutIf, public PacketInIf, public Described {
 public:
  std::string stands_for() const override { return "channel with room wires back (Kanoh 2000, section 3)"; }
  /// `latency_cycles` >= 1: one cycle of the channel and the cycles of the cable.
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
  /// Binds the sender, which is woken by watch_room(). Called once, before the first cycle.
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

  /// Drops all packets in flight and frees all slots. Called between two cycles.
  void clear();

  /// Cycles from the departure of a head to its arrival, and from a change of a room signal to the sender.
  Cycle latency_cycles() const { return latency_; }
  /// Number of FIFOs of the receiver; 0 before it is bound.
  unsigned fifos() const { return fifos_; }
  /// Number of flits put on the wires, for utilization.
  std::uint64_t flits_sent() const { return flits_sent_; }
  /// Number of packets put on the wires, dropped ones included.
  std::uint64_t packets_sent() const { return packets_sent_; }
  /// Calls visit(transfer, arrival) for packets that the receiver has not fetched yet, the oldest first.
  void visit_flying(const std::function<void(const PacketTransfer&, Cycle arrival)>& visit) const {
    for (std::size_t i = 0; i < flying_; ++i) {
      const Flying& place = ring_[(head_ + i) % ring_.size()];
      visit(place.transfer, place.arrival);
    }
  }
  /// Number of packets that the receiver has not fetched yet.
  std::size_t flying_packets() const { return flying_; }
  /// Number of flits of the packets that the receiver has not fetched yet.
  std::uint64_t flying_flits() const {
    std::uint64_t flits = 0;
    for (std::size_t i = 0; i < flying_; ++i)
      flits += ring_[(head_ + i) % ring_.size()].transfer.packet->flits;
    return flits;
  }
  /// Hook for waveforms and fault injection. Null, the default, costs a pointer test.
  void set_probe(PacketLinkProbe* probe) { probe_ = probe; }
  /// The probe; null: none.
  PacketLinkProbe* probe() const { return probe_; }
  /// Packets that a FIFO of the receiver holds; 0 before the receiver is bound.
  unsigned slots_per_fifo() const { return slots_; }

 private:
  std::uint8_t next_slot(std::uint8_t slot) const {
    return static_cast<std::uint8_t>(slot + 1U == slots_ ? 0 : slot + 1);
  }
  [[noreturn]] void refuse_send(Cycle now, const PacketTransfer& transfer, const char* why) const;
  [[noreturn]] void refuse_release(unsigned fifo, Cycle at) const;
  void lose(const PacketTransfer& transfer, Cycle at);
  /// Delays the room signals of these FIFOs until they can reflect the head that leaves now.
  void distrust(Cycle now, std::uint32_t fifos);

  struct Flying {
    Cycle arrival = 0;
    PacketTransfer transfer;
  };

  const Cycle latency_;
  const Cycle untrusted_cycles_;  ///< cycles from a head's departure until the room signal reflects it
  Clocked* sender_ = nullptr;
  Clocked* receiver_ = nullptr;
  Cycle lag_ = 0;
  unsigned fifos_ = 0;
  unsigned slots_ = 0;
  std::uint32_t watched_ = 0;
  Cycle busy_until_ = 0;
  std::vector<Flying> ring_;  ///< heads in flight, the oldest at head_
  std::size_t head_ = 0;
  std::size_t flying_ = 0;
  /// [fifo * slots + s]: first cycle in which the sender may fill slot s. The slots of a FIFO are filled and
  /// freed in turn, so this is the room signal with its whole history.
  std::vector<Cycle> usable_at_;
  /// [fifo]: first cycle in which the room signal reflects the last short packet.
  std::vector<Cycle> trusted_at_;
  Cycle all_trusted_at_ = 0;  ///< latest cycle of trusted_at_
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
  // A longer packet occupies the channel until the signal reflects it.
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
  receiver_->wake_at(place.arrival + (lag_ == whole_packet ? flits : lag_));
}

}  // namespace tsuji
