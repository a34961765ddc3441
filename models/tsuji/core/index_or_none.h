// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji {

/// Optional index in one word. The largest index is the word's largest value minus one; zeroed memory is
/// none.
template <class Word>
class IndexOrNone {
 public:
  constexpr IndexOrNone() = default;
  constexpr IndexOrNone(unsigned index) : after_(static_cast<Word>(index + 1U)) {}

  explicit constexpr operator bool() const { return after_ != 0; }
  /// Precondition: there is an index.
  constexpr unsigned operator*() const { return after_ - 1U; }
  constexpr unsigned value_or(unsigned other) const { return after_ == 0 ? other : after_ - 1U; }

  friend constexpr bool operator==(IndexOrNone a, IndexOrNone b) { return a.after_ == b.after_; }
  friend constexpr bool operator!=(IndexOrNone a, IndexOrNone b) { return a.after_ != b.after_; }
  friend constexpr bool operator==(IndexOrNone a, unsigned index) { return a.after_ == index + 1U; }
  friend constexpr bool operator!=(IndexOrNone a, unsigned index) { return a.after_ != index + 1U; }

 private:
  Word after_ = 0;  ///< index + 1
};

}  // namespace tsuji
