// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tsuji::lookup {

/// A cyclic redundancy check as the published catalogues write one: polynomial and initial value without
/// reflection, the highest power first and the leading one left out.
struct CrcSpec {
  unsigned width = 32;  ///< bits, 1..64
  std::uint64_t polynomial = 0;
  std::uint64_t initial = 0;
  bool reflect_in = false;   ///< bytes come in with their lowest bit first
  bool reflect_out = false;  ///< the register is turned round before `xor_out`
  std::uint64_t xor_out = 0;

  void validate() const;  ///< throws ConfigError: width, or bits beyond it
};

/// A check a byte at a time, by a table of 256 remainders.
class Crc {
 public:
  explicit Crc(const CrcSpec& spec);  ///< throws ConfigError as CrcSpec::validate()

  std::uint64_t of(const std::uint8_t* bytes, std::size_t count) const;
  /// Of the 8 bytes of a node's identifier, the highest first, as they stand in a header.
  std::uint64_t of_key(std::uint64_t key) const;
  const CrcSpec& spec() const { return spec_; }

 private:
  std::uint64_t result(std::uint64_t shifted) const;

  CrcSpec spec_;
  std::uint64_t start_;
  std::array<std::uint64_t, 256> table_;
};

}  // namespace tsuji::lookup
