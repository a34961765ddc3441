// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tsuji/core/arena.h"

namespace tsuji::router {

/// Mask of the lines above `last`, where a line is an input of an arbiter. last < 64.
inline std::uint64_t lines_above(unsigned last) {
  return ~std::uint64_t{1} << last;
}

template <class Visit>
void for_each_bit(std::uint64_t bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<unsigned>(__builtin_ctzll(bits)));
}

/// Index of the lowest set bit of `lines & preferred`, or of `lines` if that is empty. `lines` must not be 0.
inline unsigned first_of(std::uint64_t lines, std::uint64_t preferred) {
  const std::uint64_t best = lines & preferred;
  return static_cast<unsigned>(__builtin_ctzll(best != 0 ? best : lines));
}

/// Index of the lowest set bit of `lines` above `last`, or of the lowest one if there is none. `lines` must
/// not be 0; last < 64.
inline unsigned first_after(std::uint64_t lines, unsigned last) {
  return first_of(lines, lines_above(last));
}

/// Round-robin arbiters with up to 65,535 lines each. The line after the one served last has the highest
/// priority; line 0 at first.
class RoundRobinBank {
 public:
  RoundRobinBank(Arena& arena, unsigned arbiters, unsigned lines)
      : last_(arena.array<std::uint16_t>(arbiters)), lines_(static_cast<std::uint16_t>(lines)) {
    std::fill_n(last_, arbiters, static_cast<std::uint16_t>(lines - 1));
  }

  /// The next of the lines in `wishes` (not 0), for arbiters of up to 64 lines.
  unsigned arbitrate(unsigned arbiter, std::uint64_t wishes) const {
    return first_after(wishes, last_[arbiter]);
  }
  /// Number of lines with a higher priority than this one.
  unsigned rank(unsigned arbiter, unsigned line) const {
    const unsigned first = last_[arbiter] + 1U;
    return line >= first ? line - first : line + lines_ - first;
  }
  void served(unsigned arbiter, unsigned line) { last_[arbiter] = static_cast<std::uint16_t>(line); }

 private:
  std::uint16_t* last_;
  std::uint16_t lines_;
};

/// Line with the highest priority at first.
enum class FirstLine : std::uint8_t { lowest, highest };

/// Least-recently-served arbiters: equivalent to matrix arbiters (Dally and Towles, section 18.5), whose
/// matrix of priority bits holds the order of the last services.
class MatrixBank {
 public:
  MatrixBank(Arena& arena, unsigned arbiters, unsigned lines, FirstLine first = FirstLine::lowest);

  unsigned arbitrate(unsigned arbiter, std::uint64_t wishes) const;
  unsigned rank(unsigned arbiter, unsigned line) const { return before_[arbiter * lines_ + line]; }
  void served(unsigned arbiter, unsigned line);

 private:
  std::size_t lines_;
  std::uint16_t* before_;  ///< [arbiter][line]: number of lines with a higher priority
};

/// Matrix arbiters in which the highest line has the highest priority at first.
class HighestFirstMatrixBank : public MatrixBank {
 public:
  HighestFirstMatrixBank(Arena& arena, unsigned arbiters, unsigned lines)
      : MatrixBank(arena, arbiters, lines, FirstLine::highest) {}
};

}  // namespace tsuji::router
