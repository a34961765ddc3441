// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/wires.h"

#include <algorithm>

namespace tsuji::network::dense {

Slots::Slots(Cycle longest, unsigned units) : mask_(1), words_(1 + row_words * units) {
  // A unit that is ahead by a window, which is at most the least delay, must not reach a slot that is in use.
  while (mask_ < 2 * longest) mask_ = 2 * mask_ + 1;
  for (Cycle slot = 0; slot < 2 * (mask_ + 1); ++slot)
    offsets_.push_back((slot & mask_) * words_ * sizeof(Bits));
}

void Outbox::deliver(const Slots& slots) {
  for (const Mail& mail : mails_) {
    mail.wire->arrive(slots.from(mail.sent)[mail.wire->cycles], mail.one);
    mail.wire->home->call(mail.sent + mail.wire->cycles);
  }
  mails_.clear();
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

Cycle Home::last(const Bits* word, unsigned words, Cycle now) const {
  for (Cycle ahead = slots_->mask(); ahead != 0; --ahead) {
    const Bits* const at = word + slots_->from(now)[ahead] / sizeof(Bits);
    if (std::any_of(at, at + words, [](Bits bits) { return bits != 0; })) return now + ahead;
  }
  return 0;
}

}  // namespace tsuji::network::dense
