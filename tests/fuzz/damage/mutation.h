// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/core/random.h"

namespace tsuji::fuzz {

/// Damages texts and binary data, reproducibly for the same random numbers: bits, bytes, lines, words and
/// numbers that change, vanish, are repeated or come from elsewhere, truncation, control bytes, very long
/// lines, deep nesting.
class Mutator {
 public:
  /// `words` may be inserted anywhere, as well as numbers at the limits of all integer types.
  Mutator(CounterRandom& random, std::vector<std::string> words);

  /// `text` with one to eight damages.
  std::string damaged(std::string text);
  /// A number below `bound` > 0, for callers that choose seeds.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }

 private:
  void damage(std::string& text);
  void damage_bytes(std::string& text);
  void damage_lines(std::string& text);
  void damage_words(std::string& text);
  void grow(std::string& text);
  std::string odd_word();

  CounterRandom& random_;
  std::vector<std::string> words_;
};

}  // namespace tsuji::fuzz
