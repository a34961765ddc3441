#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/packet.h"
#include "core/units.h"
#include "link/clock_domain.h"

namespace tsuji {

/// A flit of a packet whose bytes lie in the packet pool. Eight bytes; a default one is no flit at all.
struct Flit {
  enum Flag : std::uint8_t { is_flit = 1, head = 2, tail = 4, killed = 8 };

  PacketIndex packet = 0;
  std::uint16_t sequence = 0;  ///< 0 .. flits - 1
  std::uint8_t flags = 0;

  bool valid() const { return flags != 0; }
  bool is_head() const { return (flags & head) != 0; }
  bool is_tail() const { return (flags & tail) != 0; }
  /// Purged: its receiver throws it away when it comes to the front, and returns its credit.
  bool is_killed() const { return (flags & killed) != 0; }
};

struct FlitChannelConfig {
  unsigned vcs = 4;                ///< virtual channels, 1..16
  unsigned depth_flits = 8;        ///< of the receiver's buffer for each of them, 1..65535
  Cycle latency_cycles = 1;        ///< departure to the first word's arrival, >= 1
  Cycle flit_cycles = 1;           ///< a flit every so many cycles, >= 1; its last word comes flit_cycles - 1 later
  bool whole_flit = false;         ///< the receiver acts on a flit's last word, not on its first
  Cycle credit_latency_cycles = 1; ///< the credit's way back, >= 1
  Cycle credit_process_cycles = 1; ///< its acceptance at the sender
};

class FlitChannel;

/// What may look at a channel: waveforms, counters of one's own.
class FlitProbe {
 public:
  virtual ~FlitProbe() = default;
  /// A flit leaves the sender's latch in cycle `departure` and can be acted upon in cycle `ready`.
  virtual void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
                       Cycle ready) = 0;
  /// A buffer slot of virtual channel `vc` was freed in cycle `now`; the sender may use it from `usable` on.
  virtual void on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) = 0;
};

/// One direction of a link together with the input buffer at its end and the credits on their way back.
///
/// The receiver's buffer of a virtual channel is a ring of slots. A slot holds a flit with the cycle from which
/// it can be acted upon, or, when its flit has moved on, the cycle from which the sender may fill it again: the
/// history of the credit that stands for it. Slots are filled and freed in turn, so flits are copied once a hop,
/// credits are not moved at all, and neither end sees what the other does before its time: both latencies are at
/// least one cycle, and the order in which the two ends run in a cycle does not matter.
class FlitChannel {
 public:
  struct Slot {
    Cycle cycle = 0;  ///< of a flit: from when on it can be acted upon; of none: from when on it may be filled
    Flit flit;
  };

  explicit FlitChannel(const FlitChannelConfig& config);

  /// Who receives: woken when a flit can be acted upon, `after_cycles` behind its arrival (deserialization).
  /// Bit `first_bit + vc` of `busy` is set when a flit is under way to virtual channel vc. Null: nobody is woken
  /// (a test steps by itself).
  void bind_receiver(Clocked* receiver, std::uint64_t* busy, unsigned first_bit, Cycle after_cycles);
  /// Who sends: woken for credits that it waits for (watch_credit). Its `busy` bits are set then.
  void bind_sender(Clocked* sender, std::uint64_t* busy);
  /// For messages: the link, and which way.
  void set_name(const sc_core::sc_object& link, const char* way) {
    link_ = &link;
    way_ = way;
  }

  unsigned vcs() const { return vcs_; }
  unsigned depth_flits() const { return depth_; }
  Cycle flit_cycles() const { return flit_cycles_; }
  /// Departure to the cycle in which the receiver may act.
  Cycle ready_after() const { return ready_after_; }

  // The sending end.

  /// From when on the next slot of `vc` may be filled: a cycle at or before `now` if there is a credit, a
  /// later one if the credit is on its way, `never` if the slot still holds a flit.
  Cycle credit_at(unsigned vc) const {
    const Slot& slot = slots_[vc * depth_ + rings_[vc].write];
    return slot.flit.valid() ? never : slot.cycle;
  }
  /// The same for the `count`-th slot from here: that many credits are at hand then. 1 <= count <= depth.
  Cycle credits_at(unsigned vc, unsigned count) const {
    unsigned place = rings_[vc].write + count - 1U;
    if (place >= depth_) place -= depth_;
    const Slot& slot = slots_[vc * depth_ + place];
    return slot.flit.valid() ? never : slot.cycle;
  }
  /// Credits at hand in cycle `now`.
  unsigned credits(unsigned vc, Cycle now) const;
  /// All flits that were sent have left the receiver's buffer and their credits are here.
  bool all_returned(unsigned vc, Cycle now) const { return credits_at(vc, depth_) <= now; }
  /// A flit onto the wires in cycle `departure` > now, on a credit of cycle `now`. ModelError without one.
  void send(Cycle now, Cycle departure, unsigned vc, Flit flit);
  /// Wakes the sender when the next slot of `vc` can be filled, with bit `bit` of its busy bits set. Asked
  /// anew after each wake-up.
  void watch_credit(unsigned vc, unsigned bit) { rings_[vc].watcher = bit + 1; }

  // The receiving end.

  /// The oldest flit of `vc`, arrived or on its way; not valid if there is none.
  const Slot& front(unsigned vc) const { return slots_[vc * depth_ + rings_[vc].read]; }
  /// The flit behind `places` others. places < depth.
  const Slot& behind_front(unsigned vc, unsigned places) const {
    unsigned place = rings_[vc].read + places;
    if (place >= depth_) place -= depth_;
    return slots_[vc * depth_ + place];
  }
  /// Frees the oldest flit's slot in cycle `now`; the sender sees it after the credit's way.
  void pop(Cycle now, unsigned vc);

  // Links that fail, packets that are purged; between two cycles.

  bool down() const { return down_; }
  void set_down(bool down) { down_ = down; }
  /// Marks all flits of this packet, in the buffer or on the wires, as killed; their number.
  unsigned kill(PacketIndex packet);
  /// Calls `visit` for every packet with a flit whose last word has not arrived before cycle `now`.
  void visit_on_wires(Cycle now, const std::function<void(PacketIndex)>& visit) const;
  /// Flits on the wires and in the buffer, killed ones included.
  std::uint64_t flits_held() const;

  std::uint64_t flits_sent() const { return flits_sent_; }
  void set_probe(FlitProbe* probe) { probe_ = probe; }
  FlitProbe* probe() const { return probe_; }
  std::string name() const { return link_ == nullptr ? std::string("channel") : std::string(link_->name()) + way_; }

 private:
  struct Ring {
    std::uint16_t write = 0, read = 0;
    std::uint32_t watcher = 0;  ///< the sender's busy bit + 1; 0: it does not wait
  };
  void wake_watcher(Ring& ring, Cycle usable);
  [[noreturn]] void refuse_send(Cycle now, unsigned vc, const Flit& flit) const;
  [[noreturn]] void refuse_pop(Cycle now, unsigned vc) const;

  Slot* slots_;  ///< of storage_
  std::uint16_t vcs_, depth_;
  bool down_ = false;
  std::uint32_t ready_after_, credit_after_, flit_cycles_;
  unsigned first_bit_ = 0;
  std::uint64_t* receiver_busy_ = nullptr;
  Clocked* receiver_ = nullptr;
  Clocked* sender_ = nullptr;
  std::uint64_t* sender_busy_ = nullptr;
  std::uint64_t flits_sent_ = 0;
  FlitProbe* probe_ = nullptr;
  std::vector<Slot> storage_;
  std::vector<Ring> rings_store_;
  Ring* rings_;
  const sc_core::sc_object* link_ = nullptr;
  const char* way_ = "";
};

inline void FlitChannel::send(Cycle now, Cycle departure, unsigned vc, Flit flit) {
  Ring& ring = rings_[vc];
  Slot& slot = slots_[vc * depth_ + ring.write];
  if (slot.flit.valid() || slot.cycle > now) refuse_send(now, vc, flit);
  ring.write = static_cast<std::uint16_t>(ring.write + 1U == depth_ ? 0 : ring.write + 1);
  slot.flit = flit;
  slot.cycle = departure + ready_after_;
  ++flits_sent_;
  const unsigned bit = first_bit_ + vc;
  receiver_busy_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  if (receiver_ != nullptr) receiver_->wake_at(slot.cycle);
  if (probe_ != nullptr) probe_->on_flit(*this, vc, flit, departure, slot.cycle);
}

inline void FlitChannel::pop(Cycle now, unsigned vc) {
  Ring& ring = rings_[vc];
  Slot& slot = slots_[vc * depth_ + ring.read];
  if (!slot.flit.valid() || slot.cycle > now) refuse_pop(now, vc);
  ring.read = static_cast<std::uint16_t>(ring.read + 1U == depth_ ? 0 : ring.read + 1);
  slot.flit = Flit{};
  slot.cycle = now + credit_after_;
  if (ring.watcher != 0) wake_watcher(ring, slot.cycle);
  if (probe_ != nullptr) probe_->on_credit(*this, vc, now, slot.cycle);
}

}  // namespace tsuji
