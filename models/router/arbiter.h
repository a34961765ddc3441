#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::router {

/// The lowest line of `lines` at or after `next`, or the lowest of all. lines != 0, next < 64.
inline unsigned first_from(std::uint64_t lines, unsigned next) {
  const std::uint64_t later = lines >> next;
  return static_cast<unsigned>(later != 0 ? next + static_cast<unsigned>(__builtin_ctzll(later))
                                          : static_cast<unsigned>(__builtin_ctzll(lines)));
}

/// Round-robin arbiters with up to 65,535 lines each. The line behind the one that was served last goes first.
class RoundRobinBank {
 public:
  RoundRobinBank(unsigned arbiters, unsigned lines) : lines_(static_cast<std::uint16_t>(lines)), next_(arbiters) {}

  /// Which of the lines in `wishes` (not 0; lines below 64 only) is next.
  unsigned pick(unsigned arbiter, std::uint64_t wishes) const { return first_from(wishes, next_[arbiter]); }
  /// How many lines would go before this one: the smaller, the better.
  unsigned rank(unsigned arbiter, unsigned line) const {
    const unsigned next = next_[arbiter];
    return line >= next ? line - next : line + lines_ - next;
  }
  void served(unsigned arbiter, unsigned line) {
    next_[arbiter] = static_cast<std::uint16_t>(line + 1U == lines_ ? 0 : line + 1U);
  }

 private:
  std::uint16_t lines_;
  std::vector<std::uint16_t> next_;
};

/// Least-recently-served arbiters. The order of last services is what a matrix of who-goes-before-whom bits holds.
class MatrixBank {
 public:
  MatrixBank(unsigned arbiters, unsigned lines);

  unsigned pick(unsigned arbiter, std::uint64_t wishes) const;
  unsigned rank(unsigned arbiter, unsigned line) const { return before_[arbiter * lines_ + line]; }
  void served(unsigned arbiter, unsigned line);

 private:
  std::size_t lines_;
  std::vector<std::uint16_t> before_;  ///< [arbiter][line]: how many lines go before it
};

}  // namespace tsuji::router
