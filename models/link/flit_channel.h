#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/arena.h"
#include "core/packet.h"
#include "core/units.h"
#include "link/clock_domain.h"

namespace tsuji {

/// A flit of a packet whose bytes lie in the packet pool. A default one is no flit at all.
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

/// A place of a receiver's buffer: a flit with the cycle from which it can be acted upon, or no flit, with
/// the cycle from which the sender may fill the place again. 12 bytes: large networks are mostly slots.
class FlitSlot {
 public:
  /// Cycles that fit: 2^48, three days of a 1 GHz clock.
  static constexpr unsigned cycle_bits = 48;
  static constexpr unsigned packet_bits = 28;

  Cycle cycle() const { return low() >> (64 - cycle_bits); }
  bool holds_flit() const { return (high_ >> packet_bits) != 0; }
  bool killed() const { return (high_ >> packet_bits & Flit::killed) != 0; }
  PacketIndex packet() const { return high_ & ((1U << packet_bits) - 1U); }
  Flit flit() const {
    return {packet(), static_cast<std::uint16_t>(low()), static_cast<std::uint8_t>(high_ >> packet_bits)};
  }
  std::uint16_t sequence() const { return static_cast<std::uint16_t>(low()); }
  bool head() const { return (high_ >> packet_bits & Flit::head) != 0; }
  bool tail() const { return (high_ >> packet_bits & Flit::tail) != 0; }
  bool head_or_tail() const { return (high_ >> packet_bits & (Flit::head | Flit::tail)) != 0; }
  /// It holds this flit and no other.
  bool holds(PacketIndex packet, std::uint16_t sequence) const {
    constexpr std::uint32_t identity =
        std::uint32_t{Flit::is_flit} << packet_bits | ((1U << packet_bits) - 1U);
    return (high_ & identity) == (std::uint32_t{Flit::is_flit} << packet_bits | packet) &&
           this->sequence() == sequence;
  }

  void fill(const Flit& flit, Cycle cycle) {
    set_low(cycle << (64 - cycle_bits) | flit.sequence);
    high_ = flit.packet | static_cast<std::uint32_t>(flit.flags) << packet_bits;
  }
  /// The flit of another slot.
  void fill(const FlitSlot& from, Cycle cycle) {
    const std::uint32_t high = from.high_;
    set_low(cycle << (64 - cycle_bits) | from.sequence());
    high_ = high;
  }
  void free(Cycle usable) {
    set_low(usable << (64 - cycle_bits));
    high_ = 0;
  }
  void kill() { high_ |= static_cast<std::uint32_t>(Flit::killed) << packet_bits; }

 private:
  // Halves, which the compiler joins: copied bytes it would take for a change of anything.
  std::uint64_t low() const { return low_[0] | std::uint64_t{low_[1]} << 32; }
  void set_low(std::uint64_t value) {
    low_[0] = static_cast<std::uint32_t>(value);
    low_[1] = static_cast<std::uint32_t>(value >> 32);
  }

  std::array<std::uint32_t, 2> low_{};  ///< cycle, sequence
  std::uint32_t high_ = 0;              ///< flags, packet
};

class FlitChannel;

/// The buffer of one virtual channel at the receiver, seen from both ends: slots are filled and freed in
/// turn, so flits are copied once a hop and credits are not moved at all. Lies with its receiver.
struct FlitRing {
  static constexpr unsigned slot_words = sizeof(FlitSlot) / sizeof(std::uint32_t);
  static constexpr unsigned largest_depth = 0xffff / slot_words;
  static constexpr std::uint16_t probed = 0x8000;

  FlitSlot* slots = nullptr;
  // Places in words of four bytes, as the processor reckons addresses.
  std::uint16_t read = 0;   ///< the oldest flit, or the place where the next one comes
  std::uint16_t write = 0;  ///< the slot that is filled next
  std::uint16_t end = 0;
  /// Who is to hear of a freed slot (FlitChannel::tell_freed): the sender's line + 1, `probed`; 0: nobody.
  std::uint16_t told = 0;
  std::uint32_t credit_after = 0;  ///< a slot's freeing to the cycle in which the sender may fill it
  std::uint8_t bit = 0;            ///< of the channel's column at the receiver's board
  std::uint8_t vc = 0;

  unsigned depth() const { return end / slot_words; }
  /// The oldest flit, arrived or on its way; holds none if there is none.
  const FlitSlot& front() const { return at(read); }
  FlitSlot& front() { return at(read); }
  FlitSlot& back() { return at(write); }
  const FlitSlot& back() const { return at(write); }
  void pass_front() { read = after(read); }
  void pass_back() { write = after(write); }
  /// The flit behind `places` others. places < depth.
  const FlitSlot& behind_front(unsigned places) const {
    return slots[(read / slot_words + places) % depth()];
  }
  /// From when on the next slot may be filled: a cycle at or before now if there is a credit, a later one if
  /// the credit is on its way, `never` if the slot still holds a flit.
  Cycle credit_at() const { return back().holds_flit() ? never : back().cycle(); }
  /// The same for the `count`-th slot from here: that many credits are at hand then. 1 <= count <= depth.
  Cycle credits_at(unsigned count) const {
    const FlitSlot& slot = slots[(write / slot_words + count - 1) % depth()];
    return slot.holds_flit() ? never : slot.cycle();
  }
  /// Credits at hand in cycle `now`.
  unsigned credits(Cycle now) const;

 private:
  FlitSlot& at(unsigned word) const {
    return *reinterpret_cast<FlitSlot*>(reinterpret_cast<std::uint32_t*>(slots) + word);
  }
  std::uint16_t after(std::uint16_t word) const {
    const auto next = static_cast<std::uint16_t>(word + slot_words);
    return next == end ? std::uint16_t{0} : next;
  }
};

/// The rings of a channel's virtual channels and their slots, in the receiver's memory: a ring every
/// `stride_bytes`, because a receiver may keep more with each; `vcs` times `depth` slots.
struct FlitBuffers {
  FlitRing* first = nullptr;
  std::uint32_t stride_bytes = sizeof(FlitRing);
  FlitSlot* slots = nullptr;

  FlitRing& ring(unsigned vc) const {
    return *reinterpret_cast<FlitRing*>(reinterpret_cast<std::byte*>(first) + std::size_t{vc} * stride_bytes);
  }
};

struct FlitChannelConfig {
  unsigned vcs = 4;          ///< virtual channels, 1..16
  unsigned depth_flits = 8;  ///< of the receiver's buffer for each of them, 1..FlitRing::largest_depth
  Cycle latency_cycles = 1;  ///< departure to the first word's arrival, >= 1
  Cycle flit_cycles = 1;     ///< a flit every so many cycles, >= 1; its last word comes flit_cycles - 1 later
  bool whole_flit = false;   ///< the receiver acts on a flit's last word, not on its first
  Cycle credit_latency_cycles = 1;  ///< the credit's way back, >= 1
  Cycle credit_process_cycles = 1;  ///< its acceptance at the sender
};

/// When the virtual channels of a receiver get flits: a bit each, a row of bits for each of the next cycles.
/// Its owner takes the row of every cycle in which it runs, and it runs in every cycle for which something
/// was announced. Lines are bits of 64-bit words; the rows of one word lie in a column.
class ArrivalBoard {
 public:
  /// One word of every row, for those who announce lines of that word only.
  class Column {
   public:
    Column() = default;
    Column(std::uint64_t* rows, std::uint32_t row_mask) : rows_(rows), row_mask_(row_mask) {}
    /// A flit for line `bit` can be acted upon in cycle `at` > now. False if that is beyond the rows there
    /// are: the line is busy from now on, and its owner looks too early.
    bool announce(unsigned bit, Cycle now, Cycle at) {
      const bool near = at - now <= row_mask_;
      rows_[near ? at & row_mask_ : row_mask_ + Cycle{1}] |= std::uint64_t{1} << bit;
      return near;
    }
    /// The same for a flit that is being sent; true if its owner has to be woken for that cycle: it is the
    /// first one of its row.
    bool announce_first(unsigned bit, Cycle now, Cycle at) {
      if (at - now > row_mask_) {
        busy() |= std::uint64_t{1} << bit;
        return true;
      }
      std::uint64_t& row = rows_[at & row_mask_];
      const std::uint64_t before = row;
      row = before | std::uint64_t{1} << bit;
      return before == 0;
    }
    /// Adds this cycle's row to the busy lines, and returns them.
    std::uint64_t take(Cycle now) {
      std::uint64_t& row = rows_[now & row_mask_];
      const std::uint64_t lines = busy() |= row;
      row = 0;
      return lines;
    }
    std::uint64_t& busy() { return rows_[row_mask_ + 1]; }

   private:
    std::uint64_t* rows_ = nullptr;
    std::uint32_t row_mask_ = 0;
  };

  ArrivalBoard() = default;
  /// `lines`; `horizon_cycles`: how far ahead most announcements are. `every_flit`: the owner looks at flits
  /// behind the front, too, so no announcement may be lost, and there are rows for all of the horizon.
  ArrivalBoard(Arena& arena, unsigned lines, Cycle horizon_cycles, bool every_flit = false);

  Column column(unsigned w) { return {rows_ + w * (row_mask_ + std::size_t{2}), row_mask_}; }
  bool announce(unsigned line, Cycle now, Cycle at) { return column(line / 64).announce(line % 64, now, at); }
  void set_busy(unsigned line) { busy(line / 64) |= std::uint64_t{1} << (line % 64); }
  void clear_busy(unsigned line) { busy(line / 64) &= ~(std::uint64_t{1} << (line % 64)); }
  std::uint64_t take(unsigned w, Cycle now) { return column(w).take(now); }
  std::uint64_t& busy(unsigned w) { return column(w).busy(); }
  unsigned words() const { return words_; }

 private:
  static constexpr Cycle most_rows = 64;
  std::uint64_t* rows_ = nullptr;  ///< [word][cycle % rows], and behind those the word's busy lines
  std::uint32_t words_ = 0;
  std::uint32_t row_mask_ = 0;
};

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

/// The sending end of a channel: what every flit needs that is sent, and no more. Lies with its sender.
class FlitSender {
 public:
  /// A flit onto the wires in cycle `departure` > now, on a credit of cycle `now`. ModelError without one.
  /// `ring` is one of this channel's; `from` a slot that holds the flit, or a copy of one.
  void send(Cycle now, Cycle departure, FlitRing& ring, const FlitSlot& from) {
    FlitSlot& slot = ring.back();
    if (slot.holds_flit() || slot.cycle() > now) refuse(now, ring, from);
    ring.pass_back();
    const Cycle ready = departure + ready_after_;
    slot.fill(from, ready);
    ++flits_;
    if (arrivals_.announce_first(ring.bit, now, ready) && receiver_) receiver_.wake_at(ready);
    if (probed_) tell(ring, from, departure, ready);
  }
  FlitRing& ring(unsigned vc) const { return buffers_.ring(vc); }
  bool down() const { return down_; }

 private:
  friend class FlitChannel;
  [[noreturn]] void refuse(Cycle now, const FlitRing& ring, const FlitSlot& from) const;
  void tell(const FlitRing& ring, const FlitSlot& slot, Cycle departure, Cycle ready) const;

  FlitBuffers buffers_;
  ArrivalBoard::Column arrivals_;
  Waker receiver_;
  std::uint64_t flits_ = 0;
  FlitChannel* channel_ = nullptr;
  std::uint32_t ready_after_ = 0;
  bool down_ = false, probed_ = false;
};

/// One direction of a link together with the input buffer at its end and the credits on their way back.
/// Neither end sees what the other does before its time: both latencies are at least one cycle, and the order
/// in which the two ends run in a cycle does not matter. Flits can be sent when both ends are bound; what
/// they need for that lies in their own memory.
class FlitChannel {
 public:
  explicit FlitChannel(const FlitChannelConfig& config);
  FlitChannel(const FlitChannel&) = delete;
  FlitChannel& operator=(const FlitChannel&) = delete;

  /// Who receives: woken when a flit can be acted upon, `after_cycles` behind its arrival (deserialization).
  /// Line `first_line + vc` of `board` is announced then; all of them lie in one word. A default waker:
  /// nobody is woken (a test steps by itself). The buffers are the receiver's, or are made in its arena.
  void bind_receiver(const Waker& receiver, ArrivalBoard& board, unsigned first_line, Cycle after_cycles,
                     const FlitBuffers& buffers);
  void bind_receiver(const Waker& receiver, ArrivalBoard& board, unsigned first_line, Cycle after_cycles,
                     Arena& arena);
  /// Who sends: woken for credits that it waits for (watch_credit), with a line of `board` set busy.
  void bind_sender(const Waker& sender, ArrivalBoard& board, FlitSender& place);
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
  FlitRing& ring(unsigned vc) { return buffers_.ring(vc); }
  const FlitRing& ring(unsigned vc) const { return buffers_.ring(vc); }

  /// The sending end, see FlitSender::send.
  void send(Cycle now, Cycle departure, unsigned vc, const Flit& flit) {
    FlitSlot slot;
    slot.fill(flit, 0);
    sender_->send(now, departure, ring(vc), slot);
  }
  /// Wakes the sender when the next slot of `vc` can be filled, with line `line` of its board busy. Asked
  /// anew after each wake-up.
  void watch_credit(unsigned vc, unsigned line) {
    FlitRing& watched = ring(vc);
    watched.told = static_cast<std::uint16_t>((watched.told & FlitRing::probed) | (line + 1U));
  }

  /// The receiving end: frees the oldest flit's slot in cycle `now`; the sender sees it after the credit's
  /// way.
  void pop(Cycle now, unsigned vc) {
    FlitRing& from = ring(vc);
    const FlitSlot& slot = from.front();
    if (!slot.holds_flit() || slot.cycle() > now) refuse_pop(now, vc);
    pop_known(now, from);
  }
  /// The same where the caller has looked at the flit.
  void pop_known(Cycle now, FlitRing& from) {
    from.front().free(now + from.credit_after);
    from.pass_front();
    if (from.told != 0) tell_freed(now, from);
  }
  /// A slot of a ring that is `told` was freed in cycle `now`.
  void tell_freed(Cycle now, FlitRing& ring);

  // Links that fail, packets that are purged; between two cycles.

  bool down() const { return sender_->down_; }
  void set_down(bool down) { sender_->down_ = down; }
  /// Marks all flits of this packet, in the buffer or on the wires, as killed; their number.
  unsigned kill(PacketIndex packet);
  /// Calls `visit` for every packet with a flit that cannot be acted upon before cycle `now` is over.
  void visit_on_wires(Cycle now, const std::function<void(PacketIndex)>& visit) const;
  /// Flits on the wires and in the buffer, killed ones included.
  std::uint64_t flits_held() const;

  std::uint64_t flits_sent() const { return sender_ == nullptr ? 0 : sender_->flits_; }
  /// Before or after the ends are bound; null: nobody looks.
  void set_probe(FlitProbe* probe);
  FlitProbe* probe() const { return probe_; }
  std::string name() const {
    return link_ == nullptr ? std::string("channel") : std::string(link_->name()) + way_;
  }

 private:
  friend class FlitSender;
  void connect();
  template <class Visit>
  void visit_slots(const Visit& visit) const;
  [[noreturn]] void refuse_pop(Cycle now, unsigned vc) const;

  std::uint32_t ready_after_, credit_after_, flit_cycles_;
  std::uint16_t vcs_, depth_;
  FlitBuffers buffers_;
  ArrivalBoard::Column arrivals_;
  Waker receiver_, sender_waker_;
  FlitSender* sender_ = nullptr;
  ArrivalBoard* sender_board_ = nullptr;
  FlitProbe* probe_ = nullptr;
  const sc_core::sc_object* link_ = nullptr;
  const char* way_ = "";
};

}  // namespace tsuji
