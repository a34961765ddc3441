// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// Earliest cycle in which a packet's head may be sent so that the packet has no bubbles (rooms/nic.md, Where
/// the paper is silent, 2): word k must be in the buffer by cycle
/// release + header_flits + flits_per_word * k.
class ReleaseTime {
 public:
  /// `header_flits`: number of flits before the first data word, including the port flit.
  ReleaseTime(unsigned header_flits, unsigned flits_per_word)
      : header_flits_(header_flits), flits_per_word_(flits_per_word) {}

  /// Adds `count` words from index `first` on, which arrive in `cycle`, `cycle` + 1, ...
  void add_words(unsigned first, unsigned count, Cycle cycle) {
    if (count == 0) return;
    // Linear in the word's index, so one of the ends decides.
    add_word(first, cycle);
    add_word(first + count - 1, cycle + count - 1);
  }
  /// Adds `bytes` bytes at offset `payload` of the packet, read from offset `skip` of a line whose 8-byte
  /// words arrive in `cycle`, `cycle` + 1, ... If source and packet differ in alignment by four bytes, the
  /// first half of a packet's word waits in a register for the second half (Kanoh 2000, 5.1.3): the word is
  /// complete with the next source word, or one cycle later if it ends the packet. A half word at the end of
  /// a line is counted twice; the later one decides.
  void add_bytes(unsigned payload, unsigned bytes, unsigned skip, Cycle cycle) {
    const unsigned first = payload / 8, behind = (payload + bytes + 7) / 8;
    add_words(first, behind - first, cycle + (skip + 7 - payload % 8) / 8);
  }
  /// Earliest cycle of the head; 0 before any word was added.
  Cycle earliest() const { return earliest_; }

 private:
  void add_word(unsigned index, Cycle cycle) {
    const Cycle before = header_flits_ + Cycle{flits_per_word_} * index;
    earliest_ = std::max(earliest_, cycle > before ? cycle - before : 0);
  }

  unsigned header_flits_;
  unsigned flits_per_word_;
  Cycle earliest_ = 0;
};

}  // namespace tsuji::nic
