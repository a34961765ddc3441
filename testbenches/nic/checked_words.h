// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::bench {

/// A word as its flits give it.
struct CheckedWord {
  std::uint64_t bits = 0;
  bool wrong = false;      ///< two errors
  bool corrected = false;  ///< one error, which `bits` does not have
};

/// Reader of words with check bits, for scoreboards: a Hsiao code with columns of three and five ones, each
/// word 72 bits in three flits of 24.
class CheckedWords {
 public:
  CheckedWords();
  /// The word of three flits.
  CheckedWord read(const std::uint32_t* flits) const;
  /// True for an odd number of ones.
  static bool is_odd(std::uint32_t bits);

 private:
  std::vector<unsigned> columns_;  ///< 64 of a word's bits, 8 of its check bits
};

}  // namespace tsuji::bench
