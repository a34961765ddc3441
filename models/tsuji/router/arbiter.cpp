// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

MatrixBank::MatrixBank(Arena& arena, unsigned arbiters, unsigned lines, FirstLine first)
    : lines_(lines), before_(arena.array<std::uint16_t>(std::size_t{arbiters} * lines)) {
  for (std::size_t i = 0; i < std::size_t{arbiters} * lines; ++i) {
    const std::size_t line = i % lines;
    before_[i] = static_cast<std::uint16_t>(first == FirstLine::lowest ? line : lines - 1 - line);
  }
}

unsigned MatrixBank::arbitrate(unsigned arbiter, std::uint64_t wishes) const {
  auto best = static_cast<unsigned>(__builtin_ctzll(wishes));
  for (std::uint64_t rest = wishes & (wishes - 1); rest != 0; rest &= rest - 1) {
    const auto line = static_cast<unsigned>(__builtin_ctzll(rest));
    if (rank(arbiter, line) < rank(arbiter, best)) best = line;
  }
  return best;
}

void MatrixBank::served(unsigned arbiter, unsigned line) {
  std::uint16_t* before = before_ + arbiter * lines_;
  const std::uint16_t place = before[line];
  for (std::size_t l = 0; l < lines_; ++l)
    before[l] = static_cast<std::uint16_t>(before[l] - (before[l] > place));
  before[line] = static_cast<std::uint16_t>(lines_ - 1);
}

}  // namespace tsuji::router
