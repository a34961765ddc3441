// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tsuji/core/arena.h"

namespace tsuji::router {

/// The lines above `last`. last < 64.
inline std::uint64_t lines_above(unsigned last) {
  return ~std::uint64_t{1} << last;
}

template <class Visit>
void for_each_bit(std::uint64_t bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<unsigned>(__builtin_ctzll(bits)));
}

/// The lowest line of `lines` (not 0) that is in `preferred`, too, or the lowest of all.
inline unsigned first_of(std::uint64_t lines, std::uint64_t preferred) {
  const std::uint64_t best = lines & preferred;
  return static_cast<unsigned>(__builtin_ctzll(best != 0 ? best : lines));
}

/// The lowest line of `lines` (not 0) above `last`, or the lowest of all. last < 64.
inline unsigned first_after(std::uint64_t lines, unsigned last) {
  return first_of(lines, lines_above(last));
}

/// Round-robin arbiters with up to 65,535 lines each. The line behind the one that was served last goes
/// first; at the beginning that is line 0.
class RoundRobinBank {
 public:
  RoundRobinBank(Arena& arena, unsigned arbiters, unsigned lines)
      : last_(arena.array<std::uint16_t>(arbiters)), lines_(static_cast<std::uint16_t>(lines)) {
    std::fill_n(last_, arbiters, static_cast<std::uint16_t>(lines - 1));
  }

  /// Which of the lines in `wishes` (not 0; lines below 64 only) is next.
  unsigned pick(unsigned arbiter, std::uint64_t wishes) const { return first_after(wishes, last_[arbiter]); }
  /// How many lines would go before this one: the smaller, the better.
  unsigned rank(unsigned arbiter, unsigned line) const {
    const unsigned first = last_[arbiter] + 1U;
    return line >= first ? line - first : line + lines_ - first;
  }
  void served(unsigned arbiter, unsigned line) { last_[arbiter] = static_cast<std::uint16_t>(line); }

 private:
  std::uint16_t* last_;
  std::uint16_t lines_;
};

/// The line that an arbiter prefers before it has served any.
enum class FirstLine : std::uint8_t { lowest, highest };

/// Least-recently-served arbiters. The order of last services is what a matrix of who-goes-before-whom bits
/// holds.
class MatrixBank {
 public:
  MatrixBank(Arena& arena, unsigned arbiters, unsigned lines, FirstLine first = FirstLine::lowest);

  unsigned pick(unsigned arbiter, std::uint64_t wishes) const;
  unsigned rank(unsigned arbiter, unsigned line) const { return before_[arbiter * lines_ + line]; }
  void served(unsigned arbiter, unsigned line);

 private:
  std::size_t lines_;
  std::uint16_t* before_;  ///< [arbiter][line]: how many lines go before it
};

/// Matrix arbiters whose highest line goes first at the beginning.
class HighestFirstMatrixBank : public MatrixBank {
 public:
  HighestFirstMatrixBank(Arena& arena, unsigned arbiters, unsigned lines)
      : MatrixBank(arena, arbiters, lines, FirstLine::highest) {}
};

}  // namespace tsuji::router
