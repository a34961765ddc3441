// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/wires.h"

#include <algorithm>
#include <utility>

namespace tsuji::network::dense {

Slots::Slots(Cycle longest, unsigned units, unsigned row_words)
    : mask_(1), row_words_(row_words), words_(1 + row_words * units) {
  // A unit that is ahead by a window, which is at most the least delay, must not reach a slot that is in use.
  while (mask_ < 2 * longest) mask_ = 2 * mask_ + 1;
  for (Cycle slot = 0; slot < 2 * (mask_ + 1); ++slot)
    offsets_.push_back((slot & mask_) * words_ * sizeof(Bits));
}

unsigned first_in_word(unsigned number, unsigned vcs) {
  constexpr unsigned word_bits = 64;
  const unsigned left = word_bits - number % word_bits;
  return vcs <= left ? number : number + left;
}

/// The near end's neighbourhood is woken instead, where nothing waits for it: so a wire to another thread is
/// sent on like any other one.
void Wire::join_thread(Home& near, Crossings& crossings) {
  if (home == nullptr || near.thread() == home->thread()) return;
  Bits* const slots = crossings.slots_for(near.thread(), *home);
  word = slots + (word - units);
  units = slots;
  home = &near;
}

Bits* Crossings::slots_for(std::size_t thread, Home& far) {
  for (const Crossing& one : crossings_)
    if (one.thread == thread && one.far == &far) return one.words.get();
  crossings_.push_back({thread, &far, std::make_unique<Bits[]>(slots_.all_words())});
  return crossings_.back().words.get();
}

void Crossings::exchange(Cycle last) {
  for (const Crossing& crossing : crossings_) exchange(crossing, last);
}

void Crossings::exchange(const Crossing& crossing, Cycle last) const {
  const std::size_t* const offsets = slots_.from(last);
  for (Cycle ahead = 1; ahead <= slots_.mask(); ++ahead) {
    Bits& units = in_slot(crossing.words.get(), offsets[ahead]);
    if (units == 0) continue;
    Bits* const to = &in_slot(crossing.far->units(), offsets[ahead]);
    for (Bits rest = units; rest != 0; rest &= rest - 1) {
      for (unsigned word = 0; word < slots_.row_words(); ++word) {
        const std::size_t place = 1 + std::size_t{slots_.row_words()} * lowest(rest) + word;
        to[place] |= std::exchange((&units)[place], 0);
      }
    }
    *to |= std::exchange(units, 0);
    crossing.far->call(last + ahead);
  }
}

Bits Home::take_far(Cycle now) {
  Bits units = 0;
  far_at_ = never;
  std::size_t kept = 0;
  for (const Far& far : far_) {
    if (far.cycle <= now) {
      units |= bit(far.unit);
    } else {
      far_[kept++] = far;
      far_at_ = std::min(far_at_, far.cycle);
    }
  }
  far_.resize(kept);
  return units;
}

unsigned Home::count(const Bits* word, unsigned of_bit) const {
  unsigned found = 0;
  for (std::size_t slot = 0; slot < slots_->all_words(); slot += slots_->words())
    found += word[slot] >> of_bit & 1U;
  return found;
}

unsigned Home::count_all(const Bits* word) const {
  unsigned found = 0;
  for (std::size_t slot = 0; slot < slots_->all_words(); slot += slots_->words())
    found += static_cast<unsigned>(__builtin_popcountll(word[slot]));
  return found;
}

Cycle Home::last(const Bits* word, unsigned words, Cycle now) const {
  for (Cycle ahead = slots_->mask(); ahead != 0; --ahead) {
    const Bits* const at = word + slots_->from(now)[ahead] / sizeof(Bits);
    if (std::any_of(at, at + words, [](Bits bits) { return bits != 0; })) return now + ahead;
  }
  return 0;
}

}  // namespace tsuji::network::dense
