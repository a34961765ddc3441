// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace tsuji::bench {

/// A pin of a Verilated class: its variable, whose words Verilator keeps with the low end first.
struct RtlPin {
  std::string name;
  unsigned width_bits = 0;
  bool input = false;
  unsigned char* bytes = nullptr;
  std::string range = "";  ///< as in a waveform of the RTL's own signals, "[0:19]"; empty: a single bit

  /// Bytes of the variable: 1, 2, 4, 8, or words of 4.
  unsigned storage_bytes() const {
    if (width_bits <= 8) return 1;
    if (width_bits <= 16) return 2;
    return width_bits <= 32 ? 4 : width_bits <= 64 ? 8 : (width_bits + 31) / 32 * 4;
  }
};

/// At most 64 bits of a pin, from `low` on; a default one is no bits: it reads 0, and writing it does
/// nothing.
struct RtlBits {
  unsigned char* bytes = nullptr;
  std::uint16_t low = 0, width = 0;
  std::uint16_t storage_bytes = 0;
  bool first_high = false;  ///< of a mask: the first virtual channel is the highest bit

  RtlBits() = default;
  RtlBits(const RtlPin& pin, unsigned first, unsigned count)
      : bytes(pin.bytes + first / 8),
        low(static_cast<std::uint16_t>(first % 8)),
        width(static_cast<std::uint16_t>(count)),
        storage_bytes(static_cast<std::uint16_t>(pin.storage_bytes() - first / 8)) {}

  explicit operator bool() const { return width != 0; }
  bool fits(std::uint64_t value) const { return width >= 64 || value >> width == 0; }
  std::uint64_t read() const {
    if (width == 0) return 0;
    std::uint64_t value = load() >> low;
    if (low + width > 64) value |= std::uint64_t{bytes[8]} << (64 - low);
    return value & mask();
  }
  /// A bit a virtual channel, the first one lowest.
  std::uint64_t read_mask() const { return first_high ? turned(read()) : read(); }
  void write_mask(std::uint64_t vcs) const { write(first_high ? turned(vcs) : vcs); }
  /// The bits beside these stay.
  void write(std::uint64_t value) const {
    if (width == 0) return;
    const std::uint64_t word = (load() & ~(mask() << low)) | (value & mask()) << low;
    store(word);
    if (low + width <= 64) return;
    const std::uint64_t above = mask() >> (64 - low);
    bytes[8] = static_cast<unsigned char>((bytes[8] & ~above) | (value & mask()) >> (64 - low));
  }

 private:
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Verilator's words are read byte by byte");
  std::uint64_t mask() const { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }
  std::uint64_t turned(std::uint64_t value) const {
    std::uint64_t result = 0;
    for (unsigned bit = 0; bit < width; ++bit) result |= (value >> bit & 1) << (width - 1U - bit);
    return result;
  }
  unsigned first_bytes() const { return std::min<unsigned>(storage_bytes, 8); }
  /// One instruction each, where a copy of any size is a call.
  void copy(void* to, const void* from) const {
    switch (first_bytes()) {
      case 1:
        std::memcpy(to, from, 1);
        break;
      case 2:
        std::memcpy(to, from, 2);
        break;
      case 4:
        std::memcpy(to, from, 4);
        break;
      case 8:
        std::memcpy(to, from, 8);
        break;
      default:
        std::memcpy(to, from, first_bytes());
    }
  }
  void store(std::uint64_t word) const { copy(bytes, &word); }
  std::uint64_t load() const {
    std::uint64_t word = 0;
    copy(&word, bytes);
    return word;
  }
};

}  // namespace tsuji::bench
