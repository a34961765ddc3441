// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/network/dense/head_queue.h"
#include "tsuji/network/dense/masks.h"

namespace tsuji::network::dense {

/// The word that is `offset` bytes after one of slot 0.
template <class Word>
Word& in_slot(Word* word, std::size_t offset) {
  return *reinterpret_cast<Word*>(reinterpret_cast<std::uintptr_t>(word) + offset);
}

/// Words of a unit's row: flits, then credits.
struct RowShape {
  unsigned words;  ///< number of words
  unsigned bytes;  ///< of a word: SlimBits or Bits
};

/// Slots of the coming cycles, of the same number and size in all neighbourhoods. Arrivals of a cycle are
/// in slot `cycle & mask`: Bits with a bit for each unit that runs, then a row of words for each unit.
class Slots {
 public:
  /// Times of up to `longest` cycles, in neighbourhoods of up to `units` units.
  Slots(Cycle longest, unsigned units, const RowShape& row);
  Cycle mask() const { return mask_; }          ///< number of slots, minus one
  std::size_t words() const { return words_; }  ///< size of a slot, in units of Bits
  std::size_t all_words() const { return static_cast<std::size_t>(mask_ + 1) * words_; }
  std::size_t row_words() const { return row_words_; }  ///< size of a row, in units of Bits
  /// Place of a unit's row after the units of its slot, in words of a row.
  unsigned row(unsigned unit) const {
    return static_cast<unsigned>(sizeof(Bits)) / row_.bytes + row_.words * unit;
  }
  /// The word at a place (row()) of the slot with these units.
  Bits word(const Bits* units, unsigned place) const;
  /// True if the word at a place is 0 in all slots. `units`: of slot 0.
  bool is_clear(const Bits* units, unsigned place) const;
  /// word(), which becomes 0.
  Bits take_word(Bits* units, unsigned place) const;
  /// Sets bits of word().
  void add(Bits* units, unsigned place, Bits bits) const;
  /// Offsets in bytes of the slots of cycle `now`, of the next one, and so on up to `mask` cycles ahead.
  const std::size_t* from(Cycle now) const { return offsets_.data() + (now & mask_); }

 private:
  template <class Word>
  Word any_of(const Word* word) const;

  Cycle mask_;
  RowShape row_;
  std::size_t row_words_, words_;
  std::vector<std::size_t> offsets_;  ///< twice the slots, so that from() needs no second wrap
};

/// A cycle, and the places of the slots of the coming ones.
struct Moment {
  Cycle now;
  const std::size_t* slot;  ///< Slots::from(now)
};

/// The slots of a neighbourhood and the wake-ups of its units.
class Home {
 public:
  static constexpr Cycle cycles = 256;  ///< cycle c of a wake-up beyond the slots uses row c % cycles
  static_assert(cycles <= ClockDomain::soon);

  void build(const Slots& slots, Arena& arena) {
    slots_ = &slots;
    words_ = own_slots(arena.array<Bits>(1 + slots.all_words()), *this);
  }
  /// Slot 0 in `memory` of a word and all slots: whoever has its address finds `owner` with of().
  static Bits* own_slots(Bits* memory, Home& owner) {
    *memory = reinterpret_cast<std::uintptr_t>(&owner);
    return memory + 1;
  }
  /// Owner of the slots whose slot 0 has this units word.
  static Home& of(const Bits* units) { return *reinterpret_cast<Home*>(units[-1]); }
  void bind(const Waker& self) { self_ = self; }
  /// From now on the thread of this number runs the neighbourhood.
  void join(std::size_t thread) { thread_ = thread; }
  std::size_t thread() const { return thread_; }
  /// The units word of slot 0.
  Bits* units() const { return words_; }
  /// The row of a unit in slot 0: its flits, then its credits, in words of RowShape::bytes.
  void* row(unsigned unit) const { return words_ + 1 + slots_->row_words() * unit; }
  /// Place of the row of a unit (Slots::row).
  unsigned row_place(unsigned unit) const { return slots_->row(unit); }

  /// Lets the module run in `cycle`, at most `soon` ahead.
  void call(Cycle cycle) const { self_.wake_soon(cycle); }
  /// Lets units run in the next cycle.
  void again(const Moment& at, Bits units) const { in_slot(words_, at.slot[1]) |= units; }
  /// Lets a unit run in any later cycle. Called from a unit of this neighbourhood that runs.
  void wake_at(const Moment& at, Cycle cycle, unsigned unit) {
    const Cycle ahead = cycle - at.now;
    if (ahead <= slots_->mask()) {
      in_slot(words_, at.slot[ahead]) |= bit(unit);
    } else if (ahead < cycles) {
      wheel_[cycle % cycles] |= bit(unit);
      self_.wake_soon(cycle);
    } else {
      wake_far(cycle, unit);
    }
  }
  /// Lets a unit run in any later cycle; before the first cycle, too.
  void wake_far(Cycle cycle, unsigned unit) {
    far_.push_back({cycle, unit});
    if (cycle < far_at_) far_at_ = cycle;
    self_.wake_at(cycle);
  }
  Moment moment(Cycle now) const { return {now, slots_->from(now)}; }
  /// Lets a unit run in this very cycle. Called before the neighbourhood runs in it.
  void run_now(Cycle now, unsigned unit) const {
    in_slot(words_, *slots_->from(now)) |= bit(unit);
    self_.wake_soon(now);
  }
  /// Units that run in this cycle.
  Bits take(const Moment& at) {
    Bits& here = in_slot(words_, at.slot[0]);
    Bits units = here | wheel_[at.now % cycles];
    here = wheel_[at.now % cycles] = 0;
    if (at.now >= far_at_) units |= take_far(at.now);
    return units;
  }
  /// Lets the module run in the next cycle in which a slot says so.
  void rest(const Moment& at) const {
    Cycle ahead = 1;
    while (in_slot(words_, at.slot[ahead]) == 0)
      if (ahead++ == slots_->mask()) return;
    self_.wake_soon(at.now + ahead);
  }

  /// A wire of `unit` leads to another neighbourhood, which acts `ahead` cycles later. `far`: its units word
  /// of slot 0.
  void add_border(Bits* far, Cycle ahead, unsigned unit);
  /// Wires with this far end lead to other slots instead.
  void move_borders(const Bits* from, Bits* to);
  /// Lets other neighbourhoods run in the cycles for which `units`, which have run, may have sent to them.
  /// Once a cycle, so that what a flit or a credit costs does not depend on borders.
  void call_others(const Moment& at, Bits units) const {
    if ((units & border_units_) == 0) return;
    for (const Border& border : borders_) {
      if ((units & border.from) == 0 || in_slot(border.far, at.slot[border.ahead]) == 0) continue;
      of(border.far).call(at.now + border.ahead);
    }
  }

  /// In `cycle`, which may be later than the present one, a flit or a credit arrives, or VA ends.
  void note(Cycle cycle) {
    if (last_event_ < cycle) last_event_ = cycle;
  }
  /// Latest cycle of note().
  Cycle last_event() const { return last_event_; }

  // Between two cycles.

  /// Slots in which a bit of a word is set. `word`: its place (Slots::row).
  unsigned count(unsigned word, unsigned of_bit) const;
  /// Adds the slots in which each of `bits` bits of a word is set, from `first_bit` on.
  void add_counts(unsigned word, unsigned first_bit, unsigned bits, unsigned* counts) const;
  /// Number of bits that are set in a word, in all slots.
  unsigned count_all(unsigned word) const;
  /// Latest cycle after `now` in which one of the `words` words from `word` on is not 0; 0: none.
  Cycle last(unsigned word, unsigned words, Cycle now) const;

 private:
  struct Far {
    Cycle cycle;
    unsigned unit;
  };
  /// Wires of one length to another neighbourhood.
  struct Border {
    Bits* far;  ///< units word of slot 0 there
    Cycle ahead;
    Bits from;  ///< units whose wires they are
  };
  Bits take_far(Cycle now);

  const Slots* slots_ = nullptr;
  Bits* words_ = nullptr;
  Waker self_;
  Cycle far_at_ = never;  ///< earliest of `far_`
  Cycle last_event_ = 0;
  std::vector<Far> far_;
  std::vector<Border> borders_;
  std::size_t thread_ = 0;
  std::array<Bits, cycles> wheel_{};
  Bits border_units_ = 0;  ///< all of Border::from
};

class Crossings;

/// One direction of a link: a word of the unit at its far end. A link carries one flit and one credit a
/// cycle, so a bit of the word, one for each virtual channel, suffices. Its size of 20 bytes leaves room in
/// the lines of those who send. Another neighbourhood is woken later (Home::call_others).
struct [[gnu::packed, gnu::aligned(4)]] Wire {
  Bits* units = nullptr;    ///< units word of slot 0 at the far end; null: no link
  Bits unit = 0;            ///< far end's bit there
  std::uint16_t word = 0;   ///< place of the word (Slots::row)
  std::uint8_t cycles = 0;  ///< from the decision to the cycle in which the far end acts

  /// The far end acts `lead_cycles` earlier than after `cycles`. Word: RowShape::bytes.
  template <class Word>
  [[gnu::always_inline]] void send(const Moment& at, Word one, Cycle lead_cycles = 0) const {
    Bits* const far = &in_slot(units, at.slot[cycles - lead_cycles]);
    reinterpret_cast<Word*>(far)[word] |= one;
    *far |= unit;
  }
  /// All neighbourhoods have joined their threads; `near` is that of the near end. Returns true if the far
  /// end is in another thread.
  bool join_thread(Home & near, Crossings & crossings);
};

/// Flits, credits and heads from neighbourhoods of a thread to those of others, in slots and queues like
/// those of the receiver until the window is over.
class Crossings {
 public:
  Crossings(const Slots& slots, HeadQueues& queues, PacketPool& pool)
      : slots_(slots), queues_(queues), pool_(pool) {}
  /// Slot 0 for what the thread of `near` sends to `far`.
  Bits* slots_for(Home& near, Home& far);
  /// Queue for the heads that a thread sends to a queue of another one.
  QueueIndex queue_for(QueueIndex far);
  /// HeadQueue::pull() of a queue to which this thread pushes: of queue_for(), or one within the thread. A
  /// packet that has crossed in an earlier window leaves the receiver's queue when this one is over: none of
  /// its flits has been sent, so the receiver does not reach it.
  void pull(std::size_t thread, QueueIndex from);
  /// Moves all into the slots of the receivers. Called in the thread of the kernel when all cycles up to
  /// `last` have run.
  void exchange(Cycle last);

 private:
  struct Crossing {
    std::size_t thread;
    Home* far;
    std::unique_ptr<Bits[]> memory;  ///< Home::own_slots()
  };
  struct CrossingQueue {
    QueueIndex from, to;
  };
  void exchange(const Crossing& crossing, Cycle last) const;

  const Slots& slots_;
  HeadQueues& queues_;
  PacketPool& pool_;
  std::vector<Crossing> crossings_;
  std::vector<CrossingQueue> crossing_queues_;   ///< ascending by `from`
  std::vector<std::vector<QueueIndex>> pulled_;  ///< [thread]: of this window, `from` of crossing_queues_
};

/// Buffers of all virtual channels of a network.
struct Buffers {
  explicit Buffers(unsigned flits)
      : depth(static_cast<std::uint16_t>(flits)), one(~std::uint32_t{0} / flits), places(flits + 1) {}
  std::uint16_t depth;  ///< flits, at most 4096
  std::uint32_t one;    ///< unit of a Count
  unsigned
      places;  ///< packets that may hold a virtual channel: one for each flit, and one that has sent none
};

/// Number of flits or credits, at most Buffers::depth. Its unit is Buffers::one, of which 32 bits hold
/// `depth` and no more: the carry reports one too many without a comparison.
class Count {
 public:
  Count() = default;
  Count(unsigned number, std::uint32_t one) : value_(number * one) {}
  /// Returns false if there is no place for another one.
  [[nodiscard]] bool add(std::uint32_t one) { return !__builtin_add_overflow(value_, one, &value_); }
  /// Returns true if that was the last one.
  bool take(std::uint32_t one) { return (value_ -= one) == 0; }
  bool none() const { return value_ == 0; }
  bool at_least(unsigned number, std::uint32_t one) const { return value_ >= std::uint64_t{number} * one; }
  unsigned number(std::uint32_t one) const { return value_ / one; }
  std::uint32_t in_units() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

/// Virtual channel of an output, at its sender. Mask: of the sender's input virtual channels.
template <class Mask>
struct OutputVc {
  Mask holder = 0;  ///< bit of the input virtual channel of the packet that holds it
  typename MaskWords<Mask>::Word far_bit = 0;  ///< bit of the flits at the far end
  Count credits;
  QueueIndex heads = 0;  ///< of the virtual channel at the far end
};

/// First number of the virtual channels of a port, where `number` is the next that is free: all of them are
/// in one word of a row.
unsigned first_in_word(unsigned number, unsigned vcs);

/// Results of the units of a neighbourhood in a cycle.
struct Work {
  Bits again = 0;     ///< units that run in the next cycle
  Bits arrivals = 0;  ///< not 0: a flit or a credit arrives, or VA ends
  Bits grants = 0;    ///< not 0: VA ends with the next cycle
  void add(const Work& more) {
    again |= more.again;
    arrivals |= more.arrivals;
    grants |= more.grants;
  }
};

}  // namespace tsuji::network::dense
