// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/run_time.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// A flit of a packet whose bytes lie in the packet pool. A default one is no flit.
struct Flit {
  enum Flag : std::uint8_t { is_flit = 1, head = 2, tail = 4, killed = 8 };

  PacketIndex packet = 0;
  std::uint16_t sequence = 0;  ///< 0 .. flits - 1
  std::uint8_t flags = 0;

  bool valid() const { return flags != 0; }
  bool is_head() const { return (flags & head) != 0; }
  bool is_tail() const { return (flags & tail) != 0; }
  /// The flit is purged: its receiver throws it away when it comes to the front, and returns its credit.
  bool is_killed() const { return (flags & killed) != 0; }
};

/// A slot of a receiver's buffer. It holds a flit, with the cycle from which the receiver may act upon it, or
/// it is free, with the cycle from which the sender may fill it: a free slot is a credit. 12 bytes, as slots
/// are most of a large network's memory.
class [[gnu::packed, gnu::aligned(4)]] FlitSlot {
 public:
  /// Cycles that fit: 2^48, three days of a 1 GHz clock.
  static constexpr unsigned cycle_bits = 48;
  static_assert(longest_run_cycles <= Cycle{1} << (cycle_bits - 1));
  static constexpr unsigned packet_bits = 28;

  Cycle cycle() const {
    return low_ >> sequence_bits;
  }
  bool holds_flit() const {
    return high_ >= (1U << packet_bits);
  }
  bool killed() const {
    return (high_ & flag(Flit::killed)) != 0;
  }
  PacketIndex packet() const {
    return high_ & ((1U << packet_bits) - 1U);
  }
  Flit flit() const {
    return {packet(), static_cast<std::uint16_t>(low_), static_cast<std::uint8_t>(high_ >> packet_bits)};
  }
  std::uint16_t sequence() const {
    return static_cast<std::uint16_t>(low_);
  }
  bool head() const {
    return head(high_);
  }
  bool tail() const {
    return tail(high_);
  }
  /// Whether the slot holds this flit.
  bool holds(PacketIndex packet, std::uint16_t sequence) const {
    return (high_ & (flag(Flit::is_flit) | (flag(1) - 1U))) == (flag(Flit::is_flit) | packet) &&
           this->sequence() == sequence;
  }

  void fill(const Flit& flit, Cycle cycle) {
    fill(flit.packet | static_cast<std::uint32_t>(flit.flags) << packet_bits, flit.sequence, cycle);
  }
  /// Packet and flags as one word, from which a copy is made.
  std::uint32_t identity() const {
    return high_;
  }
  static bool head(std::uint32_t identity) {
    return (identity & flag(Flit::head)) != 0;
  }
  static bool tail(std::uint32_t identity) {
    return (identity & flag(Flit::tail)) != 0;
  }
  /// The identity of a copy that its receiver throws away.
  static std::uint32_t killed(std::uint32_t identity) {
    return identity | flag(Flit::killed);
  }
  void fill(std::uint32_t identity, std::uint16_t sequence, Cycle cycle) {
    low_ = cycle << sequence_bits | sequence;
    high_ = identity;
  }
  void free(Cycle usable) {
    low_ = usable << sequence_bits;
    high_ = 0;
  }
  void kill() {
    high_ |= flag(Flit::killed);
  }
  /// Takes the flit out of the ring (FlitChannel::take_out); its slot stays taken.
  void leave() {
    high_ = flag(Flit::killed);
  }
  /// False for a slot that leave() has emptied.
  bool is_here() const {
    return (high_ & flag(Flit::is_flit)) != 0;
  }

 private:
  static constexpr unsigned sequence_bits = 64 - cycle_bits;
  static constexpr std::uint32_t flag(unsigned flags) {
    return std::uint32_t{flags} << packet_bits;
  }

  std::uint64_t low_ = 0;   ///< cycle, sequence
  std::uint32_t high_ = 0;  ///< flags, packet
};
static_assert(sizeof(FlitSlot) == 12);

class FlitChannel;
class FlitLink;

/// The buffer of one virtual channel at the receiver, used by both ends: the sender fills its slots and the
/// receiver frees them, both in turn. A flit is copied once a hop, and no credit is moved at all. The ring
/// lies in its receiver's memory.
struct FlitRing {
  static constexpr unsigned slot_words = sizeof(FlitSlot) / sizeof(std::uint32_t);
  static constexpr unsigned largest_depth = 0xffff / slot_words;
  static constexpr std::uint16_t probed = 0x8000;

  FlitSlot* slots = nullptr;
  // Places of slots in words of four bytes, which the processor scales in an address.
  std::uint16_t read = 0;   ///< the oldest flit's slot, or the one that the next flit fills
  std::uint16_t write = 0;  ///< the slot that is filled next
  std::uint16_t end = 0;
  /// Listeners to a freed slot (FlitChannel::tell_freed): the sender's line + 1, `probed`; 0: none.
  std::uint16_t told = 0;
  std::uint32_t credit_after = 0;  ///< a slot's freeing to the cycle in which the sender may fill it
  std::uint8_t bit = 0;            ///< of this virtual channel in its column of the receiver's board
  std::uint8_t vc = 0;

  unsigned depth() const { return end / slot_words; }
  /// The oldest flit's slot, arrived or on the wires; it holds no flit in an empty ring.
  const FlitSlot& front() const { return at(read); }
  FlitSlot& front() { return at(read); }
  FlitSlot& back() { return at(write); }
  const FlitSlot& back() const { return at(write); }
  /// The slot that was filled last, or has been freed since.
  const FlitSlot& newest() const {
    return at(static_cast<std::uint16_t>((write == 0 ? end : write) - slot_words));
  }
  void pass_front() { read = after(read); }
  void pass_back() { write = after(write); }
  /// The flit behind `places` others. places < depth.
  const FlitSlot& behind_front(unsigned places) const {
    return slots[(read / slot_words + places) % depth()];
  }
  /// The cycle from which the next slot may be filled: the present one or earlier if there is a credit, a
  /// later one if the credit is on the wires, `never` if the slot still holds a flit.
  Cycle credit_at() const { return back().holds_flit() ? never : back().cycle(); }
  /// The cycle from which `count` credits are at hand, 1 <= count <= depth: credit_at() of that slot.
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

/// The rings of a channel's virtual channels and their slots (`vcs` times `depth`), in the receiver's memory.
/// Rings lie `stride_bytes` apart, as a receiver may keep more state with each of them.
struct FlitBuffers {
  FlitRing* first = nullptr;
  std::uint16_t stride_bytes = sizeof(FlitRing);
  FlitSlot* slots = nullptr;

  FlitRing& ring(unsigned vc) const {
    return *reinterpret_cast<FlitRing*>(reinterpret_cast<std::byte*>(first) + std::size_t{vc} * stride_bytes);
  }
};

struct FlitChannelConfig {
  unsigned vcs = 4;          ///< virtual channels, 1..16
  unsigned depth_flits = 8;  ///< of the receiver's buffer for each of them, 1..FlitRing::largest_depth
  Cycle latency_cycles = 1;  ///< departure to the first word's arrival, >= 1; 0: to pins (flit_pins.h)
  Cycle flit_cycles = 1;     ///< time of a flit on the link, >= 1; its last word comes flit_cycles - 1 later
  bool whole_flit = false;   ///< the receiver acts on a flit's last word, not on its first
  Cycle credit_latency_cycles = 1;  ///< latency of a credit, >= 1
  Cycle credit_process_cycles = 1;  ///< acceptance of a credit at the sender
};

/// Board of a module's lines that have something to do: a row of bits for each of the next cycles. A line is
/// one of the module's input virtual channels, or one that waits for a credit. Senders announce a flit, and
/// receivers a credit, for the cycle in which it can be used; the module, its owner, runs in that cycle,
/// takes the row, and looks at the lines that are busy. Lines are bits of 64-bit words; the rows of one word
/// lie in a column.
class ArrivalBoard {
 public:
  /// One word of every row, for modules that announce lines of that word only.
  class Column {
   public:
    Column() = default;
    Column(std::uint64_t* rows, std::uint32_t row_mask) : rows_(rows), row_mask_(row_mask) {}
    /// Announces line `bit` for cycle `at` > now. False if that is beyond the rows: the line is busy from now
    /// on, and its owner looks too early.
    bool announce(unsigned bit, Cycle now, Cycle at) {
      const bool near = at - now <= row_mask_;
      rows_[near ? at & row_mask_ : row_mask_ + Cycle{1}] |= std::uint64_t{1} << bit;
      return near;
    }
    /// Whether an announcement `cycles` ahead has a row of its own, even if its owner is nearly that far
    /// behind (ClockDomain::run_groups).
    bool reaches(Cycle cycles) const { return 2 * cycles <= row_mask_ + Cycle{1}; }
    /// Announces line `bit` for a cycle that the rows reach. True for the first line of its row: the owner
    /// has to be woken for that cycle.
    bool announce_near(unsigned bit, Cycle at) {
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
    /// Returns the lines that were announced for this cycle without adding them to the busy ones.
    std::uint64_t take_row(Cycle now) {
      std::uint64_t& row = rows_[now & row_mask_];
      const std::uint64_t lines = row;
      row = 0;
      return lines;
    }
    /// Takes back all announcements of line `bit`; a busy line stays busy.
    void forget(unsigned bit) {
      for (std::uint32_t row = 0; row <= row_mask_; ++row) rows_[row] &= ~(std::uint64_t{1} << bit);
    }
    std::uint64_t& busy() { return rows_[row_mask_ + 1]; }
    void approach() const { __builtin_prefetch(rows_); }

   private:
    friend class FlitChannel;
    std::uint64_t* rows_ = nullptr;
    std::uint32_t row_mask_ = 0;
  };

  ArrivalBoard() = default;
  /// `horizon_cycles`: distance of most announcements. `every_flit`: the owner looks at flits behind the
  /// front, too, so no announcement may be lost, and there are rows for the whole horizon.
  ArrivalBoard(Arena& arena, unsigned lines, Cycle horizon_cycles, bool every_flit = false);

  Column column(unsigned w) { return {rows_ + w * (row_mask_ + std::size_t{2}), row_mask_}; }
  bool announce(unsigned line, Cycle now, Cycle at) { return column(line / 64).announce(line % 64, now, at); }
  void forget(unsigned line) { column(line / 64).forget(line % 64); }
  void set_busy(unsigned line) { busy(line / 64) |= std::uint64_t{1} << (line % 64); }
  void clear_busy(unsigned line) { busy(line / 64) &= ~(std::uint64_t{1} << (line % 64)); }
  std::uint64_t take(unsigned w, Cycle now) { return column(w).take(now); }
  std::uint64_t& busy(unsigned w) { return column(w).busy(); }
  /// The lines that take() would give.
  std::uint64_t expected(unsigned w, Cycle now) const {
    const std::uint64_t* const rows = rows_ + w * (row_mask_ + std::size_t{2});
    return rows[now & row_mask_] | rows[row_mask_ + 1];
  }
  unsigned words() const { return words_; }

 private:
  static constexpr Cycle most_rows = 128;
  std::uint64_t* rows_ = nullptr;  ///< [word][cycle % rows], and after a word's rows its busy lines
  std::uint32_t words_ = 0;
  std::uint32_t row_mask_ = 0;
};

/// Observer of a channel, for waves and counters.
class FlitProbe {
 public:
  virtual ~FlitProbe() = default;
  /// A flit leaves the sender's latch in cycle `departure` and can be acted upon in cycle `ready`.
  virtual void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
                       Cycle ready) = 0;
  /// A buffer slot of virtual channel `vc` was freed in cycle `now`; the sender may use it from `usable` on.
  virtual void on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) = 0;
};

/// The sending end of a channel: the state that sending a flit needs, in the sender's memory.
class FlitSender {
 public:
  /// Fills the next slot of `ring`, one of this channel's, and wakes the receiver for the cycle in which it
  /// may act upon the flit. ModelError without a credit in cycle `now`. The flit leaves `leaves_after` cycles
  /// (FlitChannel::bind_sender) after cycle `decided`; `identity` and `sequence` are those of the slot it was
  /// in.
  void send(Cycle now, Cycle decided, FlitRing& ring, std::uint32_t identity, std::uint16_t sequence) {
    FlitSlot& slot = ring.back();
    if (slot.holds_flit() || slot.cycle() > now) refuse(now, ring, sequence);
    ring.pass_back();
    const Cycle ready = decided + ready_after_;
    slot.fill(identity, sequence, ready);
    ++flits_;
    if (!announces_near_) return announce(now, ring, slot);
    if (arrivals().announce_near(ring.bit, ready)) receiver_.wake_soon(ready);
  }
  /// Whether a flit that is decided upon in cycle `decided` leaves after all that were sent into the ring.
  bool leaves_last(const FlitRing& ring, Cycle decided) const {
    const FlitSlot& newest = ring.newest();
    return !newest.holds_flit() || newest.cycle() < decided + ready_after_;
  }
  FlitRing& ring(unsigned vc) const { return FlitBuffers{first_, stride_bytes_, nullptr}.ring(vc); }
  bool down() const { return down_; }
  /// Prefetches the receiver's board for a flit that will soon be sent.
  void approach() const { arrivals().approach(); }
  std::uint64_t flits() const { return flits_; }

 private:
  friend class FlitChannel;
  [[noreturn]] void refuse(Cycle now, const FlitRing& ring, std::uint16_t sequence) const;
  void announce(Cycle now, const FlitRing& ring, const FlitSlot& slot);

  ArrivalBoard::Column arrivals() const { return {rows_, row_mask_}; }

  FlitRing* first_ = nullptr;
  std::uint64_t flits_ = 0;
  FlitChannel* channel_ = nullptr;
  std::uint64_t* rows_ = nullptr;  ///< of the receiver's board
  Waker receiver_;
  std::uint32_t row_mask_ = 0;
  std::uint32_t ready_after_ = 0;  ///< time from the decision to the cycle in which the receiver may act
  std::uint16_t stride_bytes_ = 0;
  /// Arrivals lie within the receiver's rows and its domain's wheel, and there is no probe.
  bool announces_near_ = false;
  bool down_ = false;
};

static_assert(sizeof(FlitSender) == 56);

/// One direction of a link together with the input buffer at its end and the credits that return. Both
/// latencies are at least one cycle, so no end sees an action of the other in the cycle in which it happens,
/// and the order in which the two ends run in a cycle does not matter. Flits can be sent when both ends are
/// bound; the state that sending needs lies in the ends' own memory.
class FlitChannel {
 public:
  /// `link` has this channel, which messages name after it; it outlives the channel. Null in tests.
  explicit FlitChannel(const FlitChannelConfig& config, const FlitLink* link = nullptr);
  FlitChannel(const FlitChannel&) = delete;
  FlitChannel& operator=(const FlitChannel&) = delete;

  /// Binds the receiver, which is woken for the cycle in which it may act upon a flit: `after_cycles` after
  /// its arrival (deserialization). Line `first_line + vc` of `board` is announced for that cycle; the lines
  /// of a channel lie in one word. A default waker wakes nobody (a test steps by itself). The buffers are the
  /// receiver's, or are made in its arena. A receiver that looks at flits early is woken `early_cycles`
  /// before that cycle instead.
  void bind_receiver(const Waker& receiver, ArrivalBoard& board, unsigned first_line, Cycle after_cycles,
                     const FlitBuffers& buffers, Cycle early_cycles = 0);
  void bind_receiver(const Waker& receiver, ArrivalBoard& board, unsigned first_line, Cycle after_cycles,
                     Arena& arena);
  /// Binds the sender; a flit leaves `leaves_after` cycles after the decision (>= 1; 0: from pins). The
  /// sender is woken for credits that it waits for (watch_credit), which are announced on its `board`.
  void bind_sender(const Waker& sender, ArrivalBoard& board, Cycle leaves_after, FlitSender& place);
  unsigned vcs() const { return vcs_; }
  unsigned depth_flits() const { return depth_; }
  Cycle flit_cycles() const { return flit_cycles_; }
  /// Time from a flit's departure to the cycle in which the receiver may act.
  Cycle ready_after() const { return ready_after_; }
  /// Time between a flit's first and last word, where the receiver waits for the last one.
  Cycle last_word_after() const { return last_word_after_; }
  FlitRing& ring(unsigned vc) { return buffers_.ring(vc); }
  const FlitRing& ring(unsigned vc) const { return buffers_.ring(vc); }

  /// FlitSender::send() of a flit that is decided on in cycle `now`.
  void send(Cycle now, unsigned vc, const Flit& flit) {
    FlitSlot slot;
    slot.fill(flit, 0);
    sender_->send(now, now, ring(vc), slot.identity(), slot.sequence());
  }
  /// Asks for one wake-up of the sender in the cycle in which the next slot of `vc` can be filled, with line
  /// `line` of its board announced.
  void watch_credit(unsigned vc, unsigned line) {
    FlitRing& watched = ring(vc);
    watched.told = static_cast<std::uint16_t>((watched.told & FlitRing::probed) | (line + 1U));
  }
  /// Takes back watch_credit(vc, line) if the credit has not come.
  void forget_watch(unsigned vc, unsigned line) {
    FlitRing& watched = ring(vc);
    if ((watched.told & (FlitRing::probed - 1U)) == line + 1U) watched.told &= FlitRing::probed;
  }

  /// Frees the oldest flit's slot in cycle `now`, for the receiver; the sender may fill the slot
  /// `credit_after` cycles later. A virtual-channel router does the same in VcRouter::traverse().
  void pop(Cycle now, unsigned vc) {
    FlitRing& from = ring(vc);
    const FlitSlot& slot = from.front();
    if (!slot.holds_flit() || slot.cycle() > now) refuse_pop(now, vc);
    pop_known(now, from);
  }
  /// pop() of a flit that the caller knows to be there.
  void pop_known(Cycle now, FlitRing& from) {
    from.front().free(now + from.credit_after);
    from.pass_front();
    if (from.told != 0) tell_freed(now, from);
  }
  /// Takes the flit after `places` others out of the buffer, onto pins (FlitPinDriver). Its slot stays taken
  /// until pop() frees it.
  void take_out(unsigned vc, unsigned places) {
    const FlitRing& from = ring(vc);
    from.slots[(from.read / FlitRing::slot_words + places) % depth_].leave();
  }
  /// Wakes the sender that waits for a credit of this ring, a slot of which was freed in cycle `now`, and
  /// calls the probe; only for a ring with listeners (`told`).
  void tell_freed(Cycle now, FlitRing& ring);

  // Links that fail, packets that are purged; between two cycles.

  bool down() const { return sender_->down_; }
  /// A sender that waits for a credit (watch_credit) is woken for cycle `now` + 1 where the link comes up.
  void set_down(bool down, Cycle now);
  /// Marks the flits of this packet, in the buffer or on the wires, as killed: on virtual channel `vc`, or on
  /// all of them. Returns their number.
  unsigned kill(PacketIndex packet, unsigned vc);
  unsigned kill(PacketIndex packet);
  /// Calls `visit` for the packet of every flit, in the buffer or on the wires, that is not killed.
  void visit_packets(const std::function<void(PacketIndex)>& visit) const;
  /// Calls visit(packet, vc) for every flit, in the buffer or on the wires, that is not killed.
  void visit_flits(const std::function<void(PacketIndex, unsigned)>& visit) const;
  /// Calls visit(packet, vc) for every flit that is not killed and cannot be acted upon before cycle `now` is
  /// over.
  void visit_on_wires(Cycle now, const std::function<void(PacketIndex, unsigned)>& visit) const;
  /// The cycle of the last event: a flit may be acted upon from then on, or a credit used.
  Cycle last_event() const;
  /// Flits on the wires and in the buffer, killed ones included.
  std::uint64_t flits_held() const;

  /// Between cycle `now` and the next one: every slot has a flit that is still to leave, or a credit that the
  /// sender has or that is on its way. ModelError for one that has neither, with the virtual channel.
  void check_credits(Cycle now) const;

  std::uint64_t flits_sent() const { return sender_ == nullptr ? 0 : sender_->flits_; }
  /// Called before or after the ends are bound; null: no probe.
  void set_probe(FlitProbe* probe);
  FlitProbe* probe() const { return probe_; }
  std::string name() const;

 private:
  friend class FlitSender;
  void wake_watcher(FlitRing& ring, Cycle now, Cycle at);
  struct Receiver {
    Waker waker;
    ArrivalBoard::Column arrivals;
  };
  void connect();
  template <class Visit>
  void visit_slots(unsigned vc, const Visit& visit) const;
  template <class Visit>
  void visit_slots(const Visit& visit) const;
  [[noreturn]] void refuse_pop(Cycle now, unsigned vc) const;
  [[noreturn]] void lost_credit(Cycle now, unsigned vc, const std::string& what) const;

  std::uint32_t ready_after_, credit_after_, flit_cycles_, last_word_after_;
  std::uint32_t leaves_after_ = 1;
  std::uint32_t early_ = 0;
  std::uint16_t vcs_, depth_;
  FlitBuffers buffers_;
  std::unique_ptr<Receiver> receiver_;  ///< null as soon as the sending end has its data
  Waker sender_waker_;
  FlitSender* sender_ = nullptr;
  ArrivalBoard* sender_board_ = nullptr;
  FlitProbe* probe_ = nullptr;
  const FlitLink* const link_;
};

}  // namespace tsuji
