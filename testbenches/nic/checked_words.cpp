// SPDX-License-Identifier: Apache-2.0
#include "nic/checked_words.h"

#include <algorithm>
#include <array>

namespace tsuji::bench {
namespace {

unsigned ones_of(unsigned bits) {
  unsigned count = 0;
  for (; bits != 0; bits >>= 1U) count += bits & 1U;
  return count;
}

}  // namespace

CheckedWords::CheckedWords() {
  for (const unsigned weight : {3U, 5U})
    for (unsigned column = 0; column < 256 && columns_.size() < 64; ++column)
      if (ones_of(column) == weight) columns_.push_back(column);
  for (unsigned bit = 0; bit < 8; ++bit) columns_.push_back(1U << bit);
}

bool CheckedWords::is_odd(std::uint32_t bits) {
  return ones_of(bits) % 2 != 0;
}

/// The bit whose column is the syndrome is inverted.
CheckedWord CheckedWords::read(const std::uint32_t* flits) const {
  CheckedWord word;
  std::array<unsigned, 72> bits{};
  unsigned syndrome = 0;
  for (unsigned bit = 0; bit < 72; ++bit) {
    bits[bit] = flits[bit / 24] >> bit % 24 & 1U;
    if (bits[bit] != 0) syndrome ^= columns_[bit];
  }
  const auto hit = std::find(columns_.begin(), columns_.end(), syndrome);
  word.wrong = syndrome != 0 && hit == columns_.end();
  word.corrected = hit != columns_.end();
  if (word.corrected) bits[static_cast<std::size_t>(hit - columns_.begin())] ^= 1U;
  for (unsigned bit = 0; bit < 64; ++bit) word.bits |= std::uint64_t{bits[bit]} << bit;
  return word;
}

}  // namespace tsuji::bench
