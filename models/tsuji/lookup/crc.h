// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tsuji::lookup {

/// A cyclic redundancy check in the notation of published catalogues: polynomial and initial value not
/// reflected, highest power first, without the leading one.
struct CrcSpec {
  unsigned width = 32;  ///< bits, 1..64
  std::uint64_t polynomial = 0;
  std::uint64_t initial = 0;
  bool reflect_in = false;   ///< bytes are processed lowest bit first
  bool reflect_out = false;  ///< the register is reversed before `xor_out`
  std::uint64_t xor_out = 0;

  void validate() const;  ///< ConfigError for the width, or for bits beyond it
};

/// CRC computed byte by byte, with a table of 256 remainders.
class Crc {
 public:
  explicit Crc(const CrcSpec& spec);  ///< throws ConfigError as CrcSpec::validate()

  std::uint64_t of(const std::uint8_t* bytes, std::size_t count) const;
  /// CRC of the 8 bytes of a node's identifier, most significant first, as in a packet header.
  std::uint64_t of_key(std::uint64_t key) const;
  const CrcSpec& spec() const { return spec_; }

 private:
  std::uint64_t result(std::uint64_t shifted) const;

  CrcSpec spec_;
  std::uint64_t start_;
  std::array<std::uint64_t, 256> table_;
};

}  // namespace tsuji::lookup
