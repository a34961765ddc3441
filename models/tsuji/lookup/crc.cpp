// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/crc.h"

#include "tsuji/core/error.h"

namespace tsuji::lookup {
namespace {

std::uint64_t mask_of(unsigned width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::uint64_t reflected(std::uint64_t value, unsigned width) {
  std::uint64_t turned = 0;
  for (unsigned bit = 0; bit < width; ++bit) turned |= (value >> bit & 1) << (width - 1 - bit);
  return turned;
}

}  // namespace

void CrcSpec::validate() const {
  if (width < 1 || width > 64)
    throw ConfigError("crc.width", std::to_string(width), "width of the check out of range", "1..64");
  for (const std::uint64_t value : {polynomial, initial, xor_out}) {
    if ((value & ~mask_of(width)) != 0)
      throw ConfigError("crc.polynomial", std::to_string(value),
                        "polynomial, initial value and final mask have as many bits as the check",
                        "at most " + std::to_string(mask_of(width)));
  }
}

// Reflected CRCs have the reversed register at the low end of the word and shift right; the others have it at
// the high end and shift left. A byte is thus combined at one place, whatever the width.
Crc::Crc(const CrcSpec& spec) : spec_(spec) {
  spec.validate();
  const unsigned above = 64 - spec.width;
  const std::uint64_t polynomial =
      spec.reflect_in ? reflected(spec.polynomial, spec.width) : spec.polynomial << above;
  start_ = spec.reflect_in ? reflected(spec.initial, spec.width) : spec.initial << above;
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t rest = spec.reflect_in ? byte : byte << 56;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (spec.reflect_in)
        rest = (rest >> 1) ^ ((rest & 1) != 0 ? polynomial : 0);
      else
        rest = (rest << 1) ^ (rest >> 63 != 0 ? polynomial : 0);
    }
    table_[byte] = rest;
  }
}

std::uint64_t Crc::result(std::uint64_t shifted) const {
  const std::uint64_t value = spec_.reflect_in ? shifted : shifted >> (64 - spec_.width);
  return (spec_.reflect_in != spec_.reflect_out ? reflected(value, spec_.width) : value) ^ spec_.xor_out;
}

std::uint64_t Crc::of(const std::uint8_t* bytes, std::size_t count) const {
  std::uint64_t shifted = start_;
  for (std::size_t i = 0; i < count; ++i) {
    if (spec_.reflect_in)
      shifted = (shifted >> 8) ^ table_[(shifted ^ bytes[i]) & 0xff];
    else
      shifted = (shifted << 8) ^ table_[shifted >> 56 ^ bytes[i]];
  }
  return result(shifted);
}

std::uint64_t Crc::of_key(std::uint64_t key) const {
  std::array<std::uint8_t, 8> bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(key >> (56 - 8 * i));
  return of(bytes.data(), bytes.size());
}

}  // namespace tsuji::lookup
