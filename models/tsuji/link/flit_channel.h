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

/// A flit, which refers to its packet in the packet pool. A default-constructed one is no flit.
struct Flit {
  /// Bits of `flags`; `is_flit` is set in every flit.
  enum Flag : std::uint8_t { is_flit = 1, head = 2, tail = 4, killed = 8 };

  PacketIndex packet = 0;      ///< index of its packet in the PacketPool
  std::uint16_t sequence = 0;  ///< position in its packet: 0 .. flits - 1
  std::uint8_t flags = 0;      ///< bits of Flag; 0: no flit

  /// Returns false for a default-constructed object, which is no flit.
  bool valid() const { return flags != 0; }
  /// Returns true for the first flit of a packet.
  bool is_head() const { return (flags & head) != 0; }
  /// Returns true for the last flit of a packet; a packet of one flit is head and tail.
  bool is_tail() const { return (flags & tail) != 0; }
  /// The flit belongs to a purged packet: its receiver discards it at the front of the buffer and returns its
  /// credit.
  bool is_killed() const { return (flags & killed) != 0; }
};

/// Slot of a receiver's buffer: either a flit, with the cycle from which the receiver may act on it, or free,
/// with the cycle from which the sender may fill it. A free slot is a credit. Slots take most of a large
/// network's memory, hence 12 bytes.
class [[gnu::packed, gnu::aligned(4)]] FlitSlot {
 public:
  /// Cycles that fit: 2^48, three days of a 1 GHz clock.
  static constexpr unsigned cycle_bits = 48;
  static_assert(longest_run_cycles <= Cycle{1} << (cycle_bits - 1));
  /// Bits of a packet index that fit: a pool of 2^28 packets.
  static constexpr unsigned packet_bits = 28;

  /// First cycle in which the receiver may act on the flit, or in which the sender may fill the free slot.
  Cycle cycle() const {
    return low_ >> sequence_bits;
  }
  /// Returns true if the slot is occupied, also by a flit that was removed by leave(); false for a free slot.
  bool holds_flit() const {
    return high_ >= (1U << packet_bits);
  }
  /// Returns true for a flit that its receiver discards (Flit::is_killed), and after leave().
  bool killed() const {
    return (high_ & flag(Flit::killed)) != 0;
  }
  /// Index of the flit's packet in the PacketPool; 0 in a free slot.
  PacketIndex packet() const {
    return high_ & ((1U << packet_bits) - 1U);
  }
  /// Returns the flit; for a free slot an object that is no flit.
  Flit flit() const {
    return {packet(), static_cast<std::uint16_t>(low_), static_cast<std::uint8_t>(high_ >> packet_bits)};
  }
  /// Position of the flit in its packet, from 0.
  std::uint16_t sequence() const {
    return static_cast<std::uint16_t>(low_);
  }
  /// Returns true for the first flit of a packet.
  bool head() const {
    return head(high_);
  }
  /// Returns true for the last flit of a packet.
  bool tail() const {
    return tail(high_);
  }
  /// Returns true if the slot holds this flit.
  bool holds(PacketIndex packet, std::uint16_t sequence) const {
    return (high_ & (flag(Flit::is_flit) | (flag(1) - 1U))) == (flag(Flit::is_flit) | packet) &&
           this->sequence() == sequence;
  }

  /// Stores a flit on which the receiver may act from cycle `cycle` on.
  void fill(const Flit& flit, Cycle cycle) {
    fill(flit.packet | static_cast<std::uint32_t>(flit.flags) << packet_bits, flit.sequence, cycle);
  }
  /// Packet and flags in one word, to copy a flit from slot to slot.
  std::uint32_t identity() const {
    return high_;
  }
  /// Identity of a packet's flit with these bits of Flit::Flag.
  static std::uint32_t identity(PacketIndex packet, unsigned flags) {
    return packet | flag(Flit::is_flit | flags);
  }
  /// Returns true for the identity of a head flit.
  static bool head(std::uint32_t identity) {
    return (identity & flag(Flit::head)) != 0;
  }
  /// Returns true for the identity of a tail flit.
  static bool tail(std::uint32_t identity) {
    return (identity & flag(Flit::tail)) != 0;
  }
  /// The identity of a copy that its receiver discards.
  static std::uint32_t killed(std::uint32_t identity) {
    return identity | flag(Flit::killed);
  }
  /// Stores the flit with this identity and sequence number; the receiver may act on it from cycle `cycle`
  /// on.
  void fill(std::uint32_t identity, std::uint16_t sequence, Cycle cycle) {
    low_ = cycle << sequence_bits | sequence;
    high_ = identity;
  }
  /// Stores flits with this identity in `count` slots one after the other: the first one with this sequence
  /// number, for the receiver from cycle `cycle` on, each further one with the next number and a cycle later.
  static void fill_run(FlitSlot * slot, unsigned count, std::uint32_t identity, unsigned sequence,
                       Cycle cycle) {
    constexpr std::uint64_t next = (std::uint64_t{1} << sequence_bits) + 1;
    std::uint64_t low = cycle << sequence_bits | sequence;
    for (const FlitSlot* const end = slot + count; slot != end; ++slot, low += next) {
      slot->low_ = low;
      slot->high_ = identity;
    }
  }
  /// Removes the flits of `count` slots one after the other, the first one for the sender from cycle `usable`
  /// on, each further one a cycle later.
  static void free_run(FlitSlot * slot, unsigned count, Cycle usable) {
    std::uint64_t low = usable << sequence_bits;
    for (const FlitSlot* const end = slot + count; slot != end;
         ++slot, low += std::uint64_t{1} << sequence_bits) {
      slot->low_ = low;
      slot->high_ = 0;
    }
  }
  /// Adds bits of Flit::Flag.
  void add_flags(unsigned flags) {
    high_ |= flag(flags);
  }
  /// Removes the flit; the sender may fill the slot from cycle `usable` on.
  void free(Cycle usable) {
    low_ = usable << sequence_bits;
    high_ = 0;
  }
  /// Marks the flit as killed (Flit::is_killed).
  void kill() {
    high_ |= flag(Flit::killed);
  }
  /// Removes the flit from the ring (FlitChannel::take_out); the slot remains occupied until its credit
  /// returns. tail() remains readable.
  void leave() {
    high_ = flag(Flit::killed) | (high_ & flag(Flit::tail));
  }
  /// Returns false for a slot whose flit was removed by leave().
  bool is_here() const {
    return (high_ & flag(Flit::is_flit)) != 0;
  }

 private:
  static constexpr unsigned sequence_bits = 64 - cycle_bits;
  static constexpr std::uint32_t flag(unsigned flags) {
    return std::uint32_t{flags} << packet_bits;
  }

  std::uint64_t low_ = 0;   ///< cycle in the upper 48 bits, sequence in the lower 16
  std::uint32_t high_ = 0;  ///< flags, packet
};
static_assert(sizeof(FlitSlot) == 12);

class FlitChannel;
class FlitLink;
class LinkErrors;

/// Input buffer of one virtual channel and at the same time the credit counter of its sender: a ring of slots
/// that both ends share. The sender fills the slot at `write`, the receiver frees the slot at `read`. A flit
/// is copied once per hop, and a returned credit is only a cycle number in a slot. The ring is in the
/// receiver's memory.
///
///     depth 6, cycle 100       read                write
///                               |                    |
///     slot        0      1      2      3      4      5
///     holds     credit credit  flit   flit   flit  credit
///     cycle()     97    102     96    100    103     95
///                  |     |       |      |      |      |
///             usable   on its  may be forwarded  on   usable
///                      way back  from 96, 100   the wires
///
/// Slots from `read` up to `write` hold flits, oldest first: cycle() is the first cycle in which the receiver
/// may act on the flit. Slots from `write` up to `read` are free, in the order in which they were freed:
/// cycle() is the first cycle in which the sender may fill the slot. So credits(100) is 2 (slots 5 and 0).
/// `read` equals `write` in an empty and in a full ring.
struct FlitRing {
  /// Size of a slot in the unit of `read`, `write` and `end`, words of 4 bytes.
  static constexpr unsigned slot_words = sizeof(FlitSlot) / sizeof(std::uint32_t);
  /// Largest number of slots for which every position fits into 16 bits.
  static constexpr unsigned largest_depth = 0xffff / slot_words;
  /// Bit of `listeners`: the channel has a probe.
  static constexpr std::uint16_t probed = 0x8000;
  /// Bit of `listeners`: the receiver counts the flits that leave.
  static constexpr std::uint16_t counted = 0x4000;
  /// Bits of `listeners` that are no event bit.
  static constexpr std::uint16_t lasting = probed | counted;

  FlitSlot* slots = nullptr;  ///< array of depth() slots, in the receiver's memory
  // Positions of slots in units of 4 bytes, which the processor can scale within an address.
  std::uint16_t read = 0;   ///< slot of the oldest flit; in an empty ring the slot that the next flit fills
  std::uint16_t write = 0;  ///< slot that the next flit fills
  std::uint16_t end = 0;    ///< position after the last slot
  /// Listeners of a freed slot (FlitChannel::notify_freed): 0 = none, n + 1 = event bit n of the sender's
  /// arrival calendar (watch_credit); with the bit `probed`: the channel's probe as well; with `counted`: the
  /// receiver.
  std::uint16_t listeners = 0;
  std::uint32_t credit_after = 0;  ///< cycles from the freeing of a slot to its use by the sender
  /// Bit of this virtual channel in its column of the receiver's arrival calendar.
  std::uint8_t bit = 0;
  std::uint8_t vc = 0;  ///< index of this virtual channel in its channel

  /// Number of slots: flits that the input buffer holds.
  unsigned depth() const { return end / slot_words; }
  /// Number of slots from position `from` on to position `to`, less than the depth.
  unsigned places(std::uint16_t from, std::uint16_t to) const {
    return (to >= from ? to - from : to + end - from) / slot_words;
  }
  /// Slot of the oldest flit, which may be buffered or on the wires; in an empty ring a free slot.
  const FlitSlot& front() const { return at(read); }
  /// Slot of the oldest flit, which may be buffered or on the wires; in an empty ring a free slot.
  FlitSlot& front() { return at(read); }
  /// Slot that the next flit fills; while the ring is full, the slot of the oldest flit.
  FlitSlot& back() { return at(write); }
  /// Slot that the next flit fills; while the ring is full, the slot of the oldest flit.
  const FlitSlot& back() const { return at(write); }
  /// The slot that was filled last; its flit may have left since.
  const FlitSlot& newest() const {
    return at(static_cast<std::uint16_t>((write == 0 ? end : write) - slot_words));
  }
  /// Moves `read` to the next slot, after the oldest flit was freed.
  void pass_front() { read = after(read); }
  /// Moves `write` to the next slot, which the sender does for each flit that it sends.
  void pass_back() { write = after(write); }
  /// The flit `places` positions after the oldest one. places < depth.
  const FlitSlot& behind_front(unsigned places) const {
    return slots[(read / slot_words + places) % depth()];
  }
  /// First cycle in which the next slot may be filled: at most `now` if there is a credit, later if the
  /// credit is on the wires, `never` while the slot holds a flit.
  Cycle credit_at() const { return back().holds_flit() ? never : back().cycle(); }
  /// First cycle in which `count` credits are available, 1 <= count <= depth; `never` as in credit_at().
  Cycle credits_at(unsigned count) const {
    const FlitSlot& slot = slots[(write / slot_words + count - 1) % depth()];
    return slot.holds_flit() ? never : slot.cycle();
  }
  /// Number of credits available in cycle `now`.
  unsigned credits(Cycle now) const;
  /// Number of slots that hold flits, which may be on the wires.
  unsigned flits_held() const {
    return read == write && front().holds_flit() ? depth() : places(read, write);
  }
  /// Fills the next slots with the flits of a packet, on whose flit i the receiver may act from cycle
  /// `ready` + i on. The slots must be free.
  void fill_packet(Cycle ready, PacketIndex packet, unsigned flits);
  /// Frees the slots of the oldest `flits` flits, of which slot i may be filled from cycle `usable` + i on.
  void free_flits(Cycle usable, unsigned flits);
  /// Word at which a slot of this ring begins, as in `read` and `write`; 0 for the one after the last.
  std::uint16_t place_of(const FlitSlot* slot) const;

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
/// The rings are `stride_bytes` apart, so that a receiver can embed each ring in a larger structure.
struct FlitBuffers {
  FlitRing* first = nullptr;                      ///< ring of virtual channel 0
  std::uint16_t stride_bytes = sizeof(FlitRing);  ///< distance of two successive rings in bytes
  FlitSlot* slots = nullptr;                      ///< [vc * depth + slot]

  /// Ring of virtual channel `vc`, 0 .. vcs - 1; not checked.
  FlitRing& ring(unsigned vc) const {
    return *reinterpret_cast<FlitRing*>(reinterpret_cast<std::byte*>(first) + std::size_t{vc} * stride_bytes);
  }
};

/// Configuration of a FlitChannel: virtual channels, buffers, and latencies in cycles of its clock.
struct FlitChannelConfig {
  unsigned vcs = 4;  ///< virtual channels, 1..16
  /// Flits in the receiver's buffer of a virtual channel, 1..FlitRing::largest_depth.
  unsigned depth_flits = 8;
  /// Departure of a flit to arrival of its first word, >= 1; 0: to pins (flit_pins.h).
  Cycle latency_cycles = 1;
  /// Cycles that a flit occupies the link, >= 1; its last word arrives flit_cycles - 1 after its first.
  Cycle flit_cycles = 1;
  bool whole_flit = false;          ///< the receiver acts on the last word of a flit, not on the first
  Cycle credit_latency_cycles = 1;  ///< latency of a credit on the wires, >= 1
  Cycle credit_process_cycles = 1;  ///< processing time of a credit at the sender
  /// Both ends handle packets instead of flits: the sender sends a packet with send_packet(), one flit a
  /// cycle without a pause, and the receiver looks at heads only.
  bool whole_packets = false;
};

/// Arrival calendar of a module: the work that is due in each of the next cycles. Each input virtual channel
/// of the module has an event bit; further bits are for credits that the module waits for. A sender sets the
/// bit in the row of the cycle in which its flit may be acted on; a receiver sets it in the row of the cycle
/// in which a credit can be used. The module, woken for that cycle, takes the row and looks at the inputs
/// whose bits are set. A module with more than 64 event bits has several words per row; the rows of one word
/// are a column.
///
///     event bit     5 4 3 2 1 0
///     row of 100    . . 1 . . 1    take(100): rows are a ring, indexed by cycle modulo their number
///     row of 101    . . . . . .
///     row of 102    . 1 . . . .    announced by a sender for cycle 102
///     busy          . . . . 1 .    looked at in every cycle until the module clears it
class ArrivalCalendar {
 public:
  /// One word of every row, for senders and receivers that only set bits of that word.
  class Column {
   public:
    Column() = default;
    /// `rows`: row_mask + 1 rows, a power of two, and then the word of busy bits. ArrivalCalendar::column()
    /// makes the columns of a calendar.
    Column(std::uint64_t* rows, std::uint32_t row_mask) : rows_(rows), row_mask_(row_mask) {}
    /// Announces work for event bit `bit` in cycle `at` > now. Returns false if `at` is beyond the rows: the
    /// bit is then busy at once, and the module looks at it before there is work.
    bool announce(unsigned bit, Cycle now, Cycle at) {
      const bool near = at - now <= row_mask_;
      rows_[near ? at & row_mask_ : row_mask_ + Cycle{1}] |= std::uint64_t{1} << bit;
      return near;
    }
    /// Returns true if an announcement `cycles` ahead fits into the rows even if the module itself is nearly
    /// that many cycles behind the announcing one (ClockDomain::run_groups).
    bool reaches(Cycle cycles) const { return 2 * cycles <= row_mask_ + Cycle{1}; }
    /// Announces work for event bit `bit` in cycle `at`, which the rows reach. Returns true for the first bit
    /// of its row: the caller then wakes the module for cycle `at`.
    bool announce_near(unsigned bit, Cycle at) {
      std::uint64_t& row = rows_[at & row_mask_];
      const std::uint64_t before = row;
      row = before | std::uint64_t{1} << bit;
      return before == 0;
    }
    /// Adds this cycle's row to the busy bits, and returns the busy bits.
    std::uint64_t take(Cycle now) {
      std::uint64_t& row = rows_[now & row_mask_];
      const std::uint64_t events = busy() |= row;
      row = 0;
      return events;
    }
    /// Returns and clears this cycle's row, without adding it to the busy bits.
    std::uint64_t take_row(Cycle now) {
      std::uint64_t& row = rows_[now & row_mask_];
      const std::uint64_t events = row;
      row = 0;
      return events;
    }
    /// Cancels all announcements of event bit `bit`; a busy bit remains busy.
    void forget(unsigned bit) {
      for (std::uint32_t row = 0; row <= row_mask_; ++row) rows_[row] &= ~(std::uint64_t{1} << bit);
    }
    /// Busy bits of this word: the module looks at their inputs in every cycle in which it runs.
    std::uint64_t& busy() { return rows_[row_mask_ + 1]; }
    /// Prefetches the rows into the processor's cache.
    void approach() const { __builtin_prefetch(rows_); }

   private:
    friend class FlitChannel;
    std::uint64_t* rows_ = nullptr;
    std::uint32_t row_mask_ = 0;
  };

  ArrivalCalendar() = default;
  /// `events`: number of event bits. `horizon_cycles`: distance of most announcements. `every_flit`: the
  /// module also looks at flits after the oldest one, so every announcement needs a row, and the rows cover
  /// the whole horizon.
  ArrivalCalendar(Arena& arena, unsigned events, Cycle horizon_cycles, bool every_flit = false);

  /// Column of event bits 64 * w to 64 * w + 63. w < words(), not checked.
  Column column(unsigned w) { return {rows_ + w * (row_mask_ + std::size_t{2}), row_mask_}; }
  /// Column::announce() for event bit `event` of the whole calendar.
  bool announce(unsigned event, Cycle now, Cycle at) {
    return column(event / 64).announce(event % 64, now, at);
  }
  /// Cancels all announcements of event bit `event`; a busy bit remains busy.
  void forget(unsigned event) { column(event / 64).forget(event % 64); }
  /// Sets the busy bit of `event`: the module looks at this input in every cycle in which it runs.
  void set_busy(unsigned event) { busy(event / 64) |= std::uint64_t{1} << (event % 64); }
  /// Clears the busy bit of `event`.
  void clear_busy(unsigned event) { busy(event / 64) &= ~(std::uint64_t{1} << (event % 64)); }
  /// Adds the row of cycle `now` to the busy bits of word `w`, and returns the busy bits. Called once for
  /// each cycle in which the module runs.
  std::uint64_t take(unsigned w, Cycle now) { return column(w).take(now); }
  /// Busy bits of word `w`.
  std::uint64_t& busy(unsigned w) { return column(w).busy(); }
  /// The bits that take() would return.
  std::uint64_t expected(unsigned w, Cycle now) const {
    const std::uint64_t* const rows = rows_ + w * (row_mask_ + std::size_t{2});
    return rows[now & row_mask_] | rows[row_mask_ + 1];
  }
  /// Number of 64-bit words in a row.
  unsigned words() const { return words_; }

 private:
  static constexpr Cycle most_rows = 128;
  std::uint64_t* rows_ = nullptr;  ///< [word][cycle % rows]; each word's rows are followed by its busy bits
  std::uint32_t words_ = 0;
  std::uint32_t row_mask_ = 0;
};

/// Observer of a channel, for waveforms and counters.
class FlitProbe {
 public:
  /// Events that an observer needs: head flits, or all flits and freed slots.
  enum class Scope : std::uint8_t { heads, all };

  virtual ~FlitProbe() = default;
  /// Constant. A channel may leave out the calls that the scope does not name.
  virtual Scope scope() const { return Scope::all; }
  /// A flit departs from the sender in cycle `departure`; the receiver may act on it from cycle `ready` on.
  /// FlitChannel::credit_taken() is valid during the call.
  virtual void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
                       Cycle ready) = 0;
  /// A buffer slot of virtual channel `vc` is freed in cycle `now`; the sender may use it from `usable` on.
  /// During the call the slot, FlitRing::front(), still holds the flit.
  virtual void on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) = 0;
};

/// Sending end of a channel: the state needed to send a flit, in the sender's memory.
class FlitSender {
 public:
  /// Fills the next slot of `ring`, one of this channel's, and wakes the receiver for the cycle in which it
  /// may act on the flit. The flit departs `leaves_after` cycles (FlitChannel::bind_sender) after cycle
  /// `decided`. `identity` and `sequence` are those of the slot that the flit comes from. ModelError without
  /// a credit in cycle `now`.
  void send(Cycle now, Cycle decided, FlitRing& ring, std::uint32_t identity, std::uint16_t sequence) {
    FlitSlot& slot = ring.back();
    const Cycle credit = slot.cycle();
    if (slot.holds_flit() || credit > now) refuse(now, ring, sequence);
    ring.pass_back();
    const Cycle ready = decided + ready_after_;
    slot.fill(identity, sequence, ready);
    ++flits_;
    if (!announces_near_) return announce(now, ring, slot, credit);
    if (arrivals().announce_near(ring.bit, ready)) receiver_.wake_soon(ready);
  }
  /// Sends all flits of a packet, of which flit i is decided on in cycle now + i: fills their slots at once,
  /// and wakes the receiver for the head only. The channel has FlitChannelConfig::whole_packets. ModelError
  /// if a flit has no credit in its cycle.
  void send_packet(Cycle now, FlitRing& ring, PacketIndex packet, unsigned flits);
  /// Returns true if a flit decided on in cycle `decided` would arrive after all flits already sent into the
  /// ring.
  bool leaves_last(const FlitRing& ring, Cycle decided) const {
    const FlitSlot& newest = ring.newest();
    return !newest.holds_flit() || newest.cycle() < decided + ready_after_;
  }
  /// Ring of virtual channel `vc` of this channel; not checked.
  FlitRing& ring(unsigned vc) const { return FlitBuffers{first_, stride_bytes_, nullptr}.ring(vc); }
  /// Returns true while the link has failed (FlitChannel::set_down).
  bool down() const { return down_; }
  /// Prefetches the receiver's arrival calendar for a flit that will soon be sent.
  void approach() const { arrivals().approach(); }
  /// Number of flits sent since the start of the simulation.
  std::uint64_t flits() const { return flits_; }

 private:
  friend class FlitChannel;
  friend class LaneCrossing;
  [[noreturn]] void refuse(Cycle now, const FlitRing& ring, std::uint16_t sequence) const;
  void announce(Cycle now, const FlitRing& ring, FlitSlot& slot, Cycle credit);

  ArrivalCalendar::Column arrivals() const { return {rows_, row_mask_}; }

  FlitRing* first_ = nullptr;
  std::uint64_t flits_ = 0;
  FlitChannel* channel_ = nullptr;
  std::uint64_t* rows_ = nullptr;  ///< rows of the receiver's arrival calendar
  Waker receiver_;
  std::uint32_t row_mask_ = 0;
  std::uint32_t ready_after_ = 0;  ///< cycles from the decision to the cycle in which the receiver may act
  std::uint16_t stride_bytes_ = 0;
  /// Arrivals are within the receiver's rows and its domain's wheel, and there is no probe.
  bool announces_near_ = false;
  bool down_ = false;
};

static_assert(sizeof(FlitSender) == 56);

/// One direction of a link with the input buffer at its end and its credits. Both latencies are at least one
/// cycle, so neither end sees an action of the other in the same cycle, and the order of the two ends within
/// a cycle does not matter.
///
/// Contract:
/// - Before the first cycle: bind_receiver() and bind_sender() once each, in any order. set_probe() at any
///   time between two cycles.
/// - The sender sends only with a credit (FlitRing::credit_at() at most `now`). To be woken by a credit it
///   calls watch_credit().
/// - The receiver looks at FlitRing::front(), acts on it from FlitSlot::cycle() on, and frees it with pop().
/// - Functions for failed links and purged packets (set_down() to visit_on_wires(), check_credits()) are
///   called between two cycles.
class FlitChannel {
 public:
  /// `link` is the link that this channel is part of and that names it in messages; it outlives the channel.
  /// Null in tests.
  explicit FlitChannel(const FlitChannelConfig& config, const FlitLink* link = nullptr);
  FlitChannel(const FlitChannel&) = delete;
  FlitChannel& operator=(const FlitChannel&) = delete;

  /// Binds the receiver. It is woken for the cycle in which it may act on a flit, `after_cycles` after the
  /// arrival (deserialization), and bit `first_event + vc` of `calendar` is announced for that cycle. The
  /// bits of one channel are in one word (else ModelError). A receiver that looks at flits early is woken
  /// `early_cycles` before that cycle instead. A default-constructed waker wakes nobody (tests). The buffers
  /// are the receiver's.
  void bind_receiver(const Waker& receiver, ArrivalCalendar& calendar, unsigned first_event,
                     Cycle after_cycles, const FlitBuffers& buffers, Cycle early_cycles = 0);
  /// Binds a receiver as above, with buffers that this function allocates in `arena`.
  void bind_receiver(const Waker& receiver, ArrivalCalendar& calendar, unsigned first_event,
                     Cycle after_cycles, Arena& arena);
  /// Binds the sender; flits depart `leaves_after` cycles after the decision (>= 1; 0: from pins). For
  /// credits that the sender waits for (watch_credit) it is woken, and a bit of its `calendar` is announced.
  void bind_sender(const Waker& sender, ArrivalCalendar& calendar, Cycle leaves_after, FlitSender& place);
  /// Number of virtual channels.
  unsigned vcs() const { return vcs_; }
  /// Flits in the receiver's buffer of a virtual channel.
  unsigned depth_flits() const { return depth_; }
  /// Cycles that a flit occupies the link.
  Cycle flit_cycles() const { return flit_cycles_; }
  /// Both ends handle packets instead of flits (FlitChannelConfig::whole_packets).
  bool whole_packets() const { return whole_packets_; }
  /// Cycles from a flit's departure to the cycle in which the receiver may act.
  Cycle ready_after() const { return ready_after_; }
  /// Cycles between the first and the last word of a flit if the receiver waits for the last, else 0.
  Cycle last_word_after() const { return last_word_after_; }
  /// Input buffer of virtual channel `vc`. Valid once the receiver is bound; `vc` is not checked.
  FlitRing& ring(unsigned vc) { return buffers_.ring(vc); }
  /// Input buffer of virtual channel `vc`. Valid once the receiver is bound; `vc` is not checked.
  const FlitRing& ring(unsigned vc) const { return buffers_.ring(vc); }

  /// FlitSender::send() of a flit that is decided on in cycle `now`.
  void send(Cycle now, unsigned vc, const Flit& flit) {
    FlitSlot slot;
    slot.fill(flit, 0);
    sender_->send(now, now, sender_->ring(vc), slot.identity(), slot.sequence());
  }
  /// Requests one wake-up of the sender in the cycle in which the next slot of `vc` may be filled; event bit
  /// `event` of its arrival calendar is announced for that cycle.
  void watch_credit(unsigned vc, unsigned event) {
    FlitRing& watched = sender_->ring(vc);
    watched.listeners = static_cast<std::uint16_t>((watched.listeners & FlitRing::lasting) | (event + 1U));
  }
  /// Cancels watch_credit(vc, event) unless the credit has come.
  void forget_watch(unsigned vc, unsigned event) {
    FlitRing& watched = sender_->ring(vc);
    if ((watched.listeners & ~FlitRing::lasting) == static_cast<int>(event + 1U))
      watched.listeners &= FlitRing::lasting;
  }

  /// Called by the receiver: frees the slot of the oldest flit in cycle `now`. The sender may fill the slot
  /// `credit_after` cycles later. ModelError if there is no flit to act on. VcRouter::traverse_switch()
  /// contains an inlined copy.
  void pop(Cycle now, unsigned vc) {
    FlitRing& from = ring(vc);
    const FlitSlot& slot = from.front();
    if (!slot.holds_flit() || slot.cycle() > now) refuse_pop(now, vc);
    pop_known(now, from);
  }
  /// pop() without the check that there is a flit.
  void pop_known(Cycle now, FlitRing& from) {
    if (from.listeners != 0) return free_heard(now, from);
    from.front().free(now + from.credit_after);
    from.pass_front();
  }
  /// pop_known() for a ring with listeners: notifies them, then frees the slot. Out of line, so that the
  /// driver of a ring without listeners keeps nothing in registers for it.
  void free_heard(Cycle now, FlitRing& from);
  /// Frees the slots of the packet at the front of `from`, which has come by send_packet(): flit i leaves the
  /// buffer in cycle now + i. Returns false if the packet is not there.
  bool pop_packet(Cycle now, FlitRing& from, PacketIndex packet, unsigned flits) {
    const FlitSlot& head = from.front();
    if (!head.holds(packet, 0) || head.cycle() > now) return false;
    const FlitSlot& tail = from.behind_front(flits - 1);
    if (!tail.holds(packet, static_cast<std::uint16_t>(flits - 1)) || !tail.tail()) return false;
    from.free_flits(now + from.credit_after, flits);
    if (from.listeners != 0) notify_freed(now, from);
    return true;
  }
  /// Removes the flit `places` positions after the oldest one, onto pins (FlitPinDriver). Its slot remains
  /// occupied until pop() frees it.
  void take_out(unsigned vc, unsigned places) {
    const FlitRing& from = ring(vc);
    from.slots[(from.read / FlitRing::slot_words + places) % depth_].leave();
  }
  /// Notifies the listeners of a slot that is freed: wakes a sender that waits for a credit of this ring, and
  /// calls the probe. Called just before the freeing, in its cycle `now`, and only if `ring.listeners` is not
  /// 0.
  void notify_freed(Cycle now, FlitRing& ring);

  // Failed links and purged packets; called between two cycles.

  /// Returns true while the link has failed. Valid once the sender is bound.
  bool down() const { return sender_->down_; }
  /// Marks the link as failed or as working again. In the latter case senders that wait for a credit are
  /// woken for cycle `now` + 1.
  void set_down(bool down, Cycle now);
  /// Marks the packet's flits on virtual channel `vc`, buffered or on the wires, as killed. Returns their
  /// number.
  unsigned kill(PacketIndex packet, unsigned vc);
  /// Marks the packet's flits on all virtual channels, buffered or on the wires, as killed. Returns their
  /// number.
  unsigned kill(PacketIndex packet);
  /// Calls visit(packet) for every flit, buffered or on the wires, that is not killed.
  void visit_packets(const std::function<void(PacketIndex)>& visit) const;
  /// Calls visit(packet, vc) for every flit, buffered or on the wires, that is not killed.
  void visit_flits(const std::function<void(PacketIndex, unsigned)>& visit) const;
  /// Calls visit(packet, vc) for every flit that is not killed and cannot be acted on up to cycle `now`.
  void visit_on_wires(Cycle now, const std::function<void(PacketIndex, unsigned)>& visit) const;
  /// The last cycle in which a flit becomes ready or a credit becomes usable.
  Cycle last_event() const;
  /// Number of flits on the wires and in the buffer, killed ones included.
  std::uint64_t flits_held() const;

  /// Checks the credits after cycle `now`: from the oldest flit on, every ring has flits and then free slots
  /// whose credits are at the sender or on the wires. ModelError with the virtual channel otherwise.
  void check_credits(Cycle now) const;

  /// Number of flits sent since the start of the simulation; 0 before the sender is bound.
  std::uint64_t flits_sent() const { return sender_ == nullptr ? 0 : sender_->flits_; }
  /// Flits of flits_sent() that are decided on in cycle `now` or later (FlitSender::send_packet).
  std::uint64_t flits_to_come(Cycle now) const { return sends_until_ > now ? sends_until_ - now : 0; }
  /// Returns true if different threads run the two ends (ClockDomain::run_on); they then need a LaneCrossing.
  bool crosses_lanes() const { return sender_ != nullptr && !sender_waker_.same_lane(sender_->receiver_); }
  /// Sets the probe; null: none. May be called before or after the ends are bound. ModelError for a channel
  /// with a LaneCrossing.
  void set_probe(FlitProbe* probe);
  /// The probe; null: none.
  FlitProbe* probe() const { return probe_; }
  /// Sets the errors of this direction, which delay flits; null: none. Before the first cycle; the object
  /// outlives the channel.
  void set_errors(LinkErrors* errors);
  /// During FlitProbe::on_flit(): the cycle from which the credit that the flit takes was usable.
  Cycle credit_taken() const { return credit_taken_; }
  /// Name of the link and this direction (-> or <-) for messages; "channel" without a link.
  std::string name() const;

 private:
  friend class FlitSender;
  friend class LaneCrossing;
  void announce(Cycle now, const FlitRing& ring, Cycle ready);
  void wake_watcher(FlitRing& ring, Cycle now, Cycle at);
  struct Receiver {
    Waker waker;
    ArrivalCalendar::Column arrivals;
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
  std::unique_ptr<Receiver> receiver_;  ///< null once both ends are bound
  Waker sender_waker_;
  FlitSender* sender_ = nullptr;
  ArrivalCalendar* sender_calendar_ = nullptr;
  FlitProbe* probe_ = nullptr;
  LinkErrors* errors_ = nullptr;
  Cycle credit_taken_ = 0;
  Cycle sends_until_ = 0;  ///< cycle after the last flit of send_packet()
  bool whole_packets_;
  bool heads_only_ = false;  ///< the probe's scope
  bool near_ = false;        ///< arrivals are within the receiver's rows and its domain's wheel
  bool crossed_ = false;     ///< a LaneCrossing passes on flits and credits
  const FlitLink* const link_;
};

}  // namespace tsuji
