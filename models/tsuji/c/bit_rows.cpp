// SPDX-License-Identifier: Apache-2.0
#include "tsuji/c/bit_rows.h"

#include <algorithm>

namespace tsuji::c {
namespace {

constexpr std::uint64_t low_bits(unsigned count) {
  return ~pins::bits_above(count);
}

/// `count` bits, 1..64, from place `bit` on.
std::uint64_t extract(const std::uint32_t* words, unsigned bit, unsigned count) {
  const unsigned word = bit / 32, shift = bit % 32, last = (bit + count - 1) / 32;
  std::uint64_t value = words[word];
  if (last != word) value |= std::uint64_t{words[word + 1]} << 32;
  value >>= shift;
  if (last == word + 2) value |= std::uint64_t{words[last]} << (64 - shift);
  return value & low_bits(count);
}

/// Adds `count` bits of a value to words that are 0 there.
void insert(std::uint32_t* words, unsigned bit, unsigned count, std::uint64_t value) {
  const unsigned word = bit / 32, shift = bit % 32, last = (bit + count - 1) / 32;
  const std::uint64_t low = value << shift;
  words[word] |= static_cast<std::uint32_t>(low);
  if (last != word) words[word + 1] |= static_cast<std::uint32_t>(low >> 32);
  if (last == word + 2) words[last] |= static_cast<std::uint32_t>(value >> (64 - shift));
}

}  // namespace

BitRows::BitRows(const std::vector<pins::Pin>& pins) {
  for (auto pin = pins.rbegin(); pin != pins.rend(); ++pin) {
    unsigned& bit = bits_[pin->input ? 1 : 0];
    const unsigned most = 64 / pin->width_bits;
    for (unsigned lane = 0; lane < pin->lanes; lane += most) {
      const unsigned lanes = std::min(most, pin->lanes - lane);
      (pin->input ? inputs_ : outputs_).push_back({bit, pin->width_bits, lanes, pin->at + lane});
      bit += lanes * pin->width_bits;
    }
  }
}

void BitRows::unpack(const std::uint32_t* words, const std::uint32_t* unknown, std::uint64_t* inputs) const {
  for (const Piece& piece : inputs_) {
    std::uint64_t value = extract(words, piece.bit, piece.lanes * piece.width_bits);
    std::uint64_t* lane = inputs + piece.at;
    if (piece.lanes == 1) {
      *lane = value;
    } else {
      const std::uint64_t mask = low_bits(piece.width_bits);
      for (std::uint64_t* const end = lane + piece.lanes; lane != end; ++lane, value >>= piece.width_bits)
        *lane = value & mask;
    }
    if (unknown == nullptr) continue;
    for (unsigned of = 0; of < piece.lanes; ++of)
      if (extract(unknown, piece.bit + of * piece.width_bits, piece.width_bits) != 0)
        inputs[piece.at + of] = piece.width_bits < 64 ? pins::unknown_lane : inputs[piece.at + of];
  }
}

void BitRows::pack(const std::uint64_t* outputs, std::uint32_t* words) const {
  std::fill(words, words + (bits_[0] + 31) / 32, 0);
  for (const Piece& piece : outputs_) {
    std::uint64_t value = 0;
    for (unsigned lane = piece.lanes; lane-- > 0;) {
      // A lane of 64 bits is alone in its piece.
      if (piece.width_bits < 64) value <<= piece.width_bits;
      value |= outputs[piece.at + lane];
    }
    insert(words, piece.bit, piece.lanes * piece.width_bits, value);
  }
}

}  // namespace tsuji::c
