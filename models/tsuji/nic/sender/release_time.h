// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// The earliest cycle in which a packet's head may go on the wires so that it flows without bubbles
/// (rooms/nic.md, Where the paper is silent, 2): word k must be there by cycle
/// release + header_flits + flits_per_word * k.
class ReleaseTime {
 public:
  /// `header_flits`: all flits before the first data word, the port flit included.
  ReleaseTime(unsigned header_flits, unsigned flits_per_word)
      : header_flits_(header_flits), flits_per_word_(flits_per_word) {}

  /// Words first .. first + count - 1 are there in `cycle`, `cycle` + 1, ...
  void add_words(unsigned first, unsigned count, Cycle cycle) {
    if (count == 0) return;
    // Linear in the word's index, so one of the ends decides.
    add_word(first, cycle);
    add_word(first + count - 1, cycle + count - 1);
  }
  /// The packet's bytes payload .. payload + bytes - 1 come from offset `skip` of a line whose 8-byte words
  /// are there in `cycle`, `cycle` + 1, ... Where source and packet differ by four bytes, the half in front
  /// of a packet's word waits in a register (5.1.3): the word is there with the next one, and a half that
  /// ends the packet a cycle after its own. (A half at a line's end counts twice; the next line comes later.)
  void add_bytes(unsigned payload, unsigned bytes, unsigned skip, Cycle cycle) {
    const unsigned first = payload / 8, behind = (payload + bytes + 7) / 8;
    add_words(first, behind - first, cycle + (skip + 7 - payload % 8) / 8);
  }
  /// 0 while no word says otherwise.
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
