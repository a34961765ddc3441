// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/wires.h"

#include <algorithm>
#include <utility>

namespace tsuji::network::dense {

Slots::Slots(Cycle longest, unsigned units, const RowShape& row)
    : mask_(1),
      row_(row),
      row_words_(std::size_t{row.words} * row.bytes / sizeof(Bits)),
      words_(1 + row_words_ * units) {
  // A unit that is ahead by a window, which is at most the least delay, must not reach a slot that is in use.
  while (mask_ < 2 * longest) mask_ = 2 * mask_ + 1;
  for (Cycle slot = 0; slot < 2 * (mask_ + 1); ++slot)
    offsets_.push_back((slot & mask_) * words_ * sizeof(Bits));
}

Bits Slots::word(const Bits* units, unsigned place) const {
  if (row_.bytes == sizeof(Bits)) return units[place];
  return reinterpret_cast<const SlimBits*>(units)[place];
}

bool Slots::is_clear(const Bits* units, unsigned place) const {
  if (row_.bytes == sizeof(Bits)) return any_of(units + place) == 0;
  return any_of(reinterpret_cast<const SlimBits*>(units) + place) == 0;
}

template <class Word>
Word Slots::any_of(const Word* word) const {
  Word any = 0;
  for (const Word* const end = word + all_words() * sizeof(Bits) / sizeof(Word); word < end;
       word += words_ * sizeof(Bits) / sizeof(Word))
    any |= *word;
  return any;
}

Bits Slots::take_word(Bits* units, unsigned place) const {
  if (row_.bytes == sizeof(Bits)) return std::exchange(units[place], 0);
  return std::exchange(reinterpret_cast<SlimBits*>(units)[place], 0);
}

void Slots::add(Bits* units, unsigned place, Bits bits) const {
  if (row_.bytes == sizeof(Bits)) {
    units[place] |= bits;
  } else {
    reinterpret_cast<SlimBits*>(units)[place] |= static_cast<SlimBits>(bits);
  }
}

unsigned first_in_word(unsigned number, unsigned vcs) {
  constexpr unsigned word_bits = 64;
  const unsigned left = word_bits - number % word_bits;
  return vcs <= left ? number : number + left;
}

/// The near end's neighbourhood is woken instead, where nothing waits for it: so a wire to another thread is
/// sent on like any other one.
bool Wire::join_thread(Home& near, Crossings& crossings) {
  if (units == nullptr || near.thread() == Home::of(units).thread()) return false;
  Bits* const slots = crossings.slots_for(near, Home::of(units));
  near.move_borders(units, slots);
  units = slots;
  return true;
}

Bits* Crossings::slots_for(Home& near, Home& far) {
  if (pulled_.size() <= near.thread()) pulled_.resize(near.thread() + 1);
  for (const Crossing& one : crossings_)
    if (one.thread == near.thread() && one.far == &far) return one.memory.get() + 1;
  crossings_.push_back({near.thread(), &far, std::make_unique<Bits[]>(1 + slots_.all_words())});
  return Home::own_slots(crossings_.back().memory.get(), near);
}

QueueIndex Crossings::queue_for(QueueIndex far) {
  crossing_queues_.push_back({queues_.add(1), far});
  return crossing_queues_.back().from;
}

void Crossings::pull(std::size_t thread, QueueIndex from) {
  HeadQueue& queue = queues_.all()[from];
  if (queue.first() != traffic::no_packet) return queue.pull(pool_);
  pulled_[thread].push_back(from);
}

void Crossings::exchange(Cycle last) {
  HeadQueue* const queues = queues_.all();
  for (std::vector<QueueIndex>& of_thread : pulled_) {
    for (const QueueIndex from : of_thread) {
      const auto crossing =
          std::lower_bound(crossing_queues_.begin(), crossing_queues_.end(), from,
                           [](const CrossingQueue& one, QueueIndex wanted) { return one.from < wanted; });
      queues[crossing->to].pull(pool_);
    }
    of_thread.clear();
  }
  for (const CrossingQueue& one : crossing_queues_) queues[one.from].pour_into(queues[one.to], pool_);
  for (const Crossing& crossing : crossings_) exchange(crossing, last);
}

void Crossings::exchange(const Crossing& crossing, Cycle last) const {
  const std::size_t* const offsets = slots_.from(last);
  for (Cycle ahead = 1; ahead <= slots_.mask(); ++ahead) {
    Bits& units = in_slot(crossing.memory.get() + 1, offsets[ahead]);
    if (units == 0) continue;
    Bits* const to = &in_slot(crossing.far->units(), offsets[ahead]);
    for (Bits rest = units; rest != 0; rest &= rest - 1) {
      for (std::size_t word = 0; word < slots_.row_words(); ++word) {
        const std::size_t place = 1 + slots_.row_words() * lowest(rest) + word;
        to[place] |= std::exchange((&units)[place], 0);
      }
    }
    *to |= std::exchange(units, 0);
    crossing.far->call(last + ahead);
  }
}

void Home::add_border(Bits* far, Cycle ahead, unsigned unit) {
  border_units_ |= bit(unit);
  const auto known = std::find_if(borders_.begin(), borders_.end(), [&](const Border& border) {
    return border.far == far && border.ahead == ahead;
  });
  if (known != borders_.end()) {
    known->from |= bit(unit);
  } else {
    borders_.push_back({far, ahead, bit(unit)});
  }
}

void Home::move_borders(const Bits* from, Bits* to) {
  for (Border& border : borders_)
    if (border.far == from) border.far = to;
}

Bits Home::take_far(Cycle now) {
  Bits units = 0;
  Cycle next = never;
  for (std::size_t i = far_.size(); i-- > 0;) {
    if (far_[i].cycle > now) {
      next = std::min(next, far_[i].cycle);
      continue;
    }
    units |= bit(far_[i].unit);
    far_[i] = far_.back();
    far_.pop_back();
  }
  far_at_ = next;
  return units;
}

unsigned Home::count(unsigned word, unsigned of_bit) const {
  unsigned found = 0;
  for (std::size_t slot = 0; slot < slots_->all_words(); slot += slots_->words())
    found += slots_->word(words_ + slot, word) >> of_bit & 1U;
  return found;
}

/// Most words of a large network are 0.
void Home::add_counts(unsigned word, unsigned first_bit, unsigned bits, unsigned* counts) const {
  if (slots_->is_clear(words_, word)) return;
  for (std::size_t slot = 0; slot < slots_->all_words(); slot += slots_->words())
    for (Bits rest = slots_->word(words_ + slot, word) >> first_bit & (bit(bits) - 1); rest != 0;
         rest &= rest - 1)
      ++counts[lowest(rest)];
}

unsigned Home::count_all(unsigned word) const {
  unsigned found = 0;
  if (slots_->is_clear(words_, word)) return found;
  for (std::size_t slot = 0; slot < slots_->all_words(); slot += slots_->words())
    for (Bits rest = slots_->word(words_ + slot, word); rest != 0; rest &= rest - 1) ++found;
  return found;
}

Cycle Home::last(unsigned word, unsigned words, Cycle now) const {
  for (Cycle ahead = slots_->mask(); ahead != 0; --ahead) {
    const Bits* const units = &in_slot(words_, slots_->from(now)[ahead]);
    for (unsigned at = word; at != word + words; ++at)
      if (slots_->word(units, at) != 0) return now + ahead;
  }
  return 0;
}

}  // namespace tsuji::network::dense
