// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/described.h"
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// iSLIP with one iteration for up to 64 input virtual channels ("lines"), one bit each. A line that holds an
/// output requests it in every cycle in which the line is ready, so a request is a bit of a mask and needs no
/// call. The grants equal those of the SwitchAllocator "islip".
///
/// Contract: hold() when a line gets an output, release() when it loses the output; grant() once a cycle in
/// which a line is ready.
class LineSwitchAllocator {
 public:
  std::string stands_for() const;
  static constexpr unsigned most_lines = 64;

  /// `vcs_of_input`: number of virtual channels of each input; the lines of an input are consecutive.
  LineSwitchAllocator(Arena& arena, const std::vector<std::uint8_t>& vcs_of_input, unsigned outputs);

  /// From now on the line requests `output`. It must not hold one.
  void hold(unsigned line, unsigned output) {
    output_of_[line] = static_cast<std::uint8_t>(output);
    outputs_[output].holders |= bit(line);
    wanted_ |= bit(output);
    settled_ &= ~bit(line);
  }
  /// The line no longer requests its output. It must hold one.
  void release(unsigned line) {
    const unsigned output = output_of_[line];
    std::uint64_t& holders = outputs_[output].holders;
    holders &= ~bit(line);
    if (holders == 0) wanted_ &= ~bit(output);
  }
  /// Returns the lines among `ready` that win the switch in this cycle. All ready lines must hold an output.
  [[gnu::always_inline]] std::uint64_t grant(std::uint64_t ready) {
    if ((ready & ~settled_) == 0) return ready;
    std::uint64_t granted = 0;
    for (std::uint64_t outputs = wanted_; outputs != 0; outputs &= outputs - 1) {
      const unsigned number = lowest(outputs);
      Output& output = outputs_[number];
      std::uint64_t asking = output.holders & ready;
      if (asking == 0) continue;
      if ((asking & (asking - 1)) != 0) asking = choose(asking, output, granted);
      const unsigned line = lowest(asking);
      const std::uint16_t input_number = input_of_[line];
      Input& input = inputs_[input_number];
      if ((granted & input.own) == 0) {
        input.before = input.last;
      } else {
        if (!gives_way(input, number)) continue;
        granted &= ~input.own;
      }
      granted |= asking;
      input.last = {static_cast<std::uint16_t>(line), static_cast<std::uint16_t>(number)};
      output.before = output.last;
      output.last = input_number;
    }
    return settled_ = granted;
  }

 private:
  // A grant moves pointers. The values at the beginning of the cycle are kept, for a grant that is revoked.
  struct Output {
    std::uint64_t holders = 0;  ///< mask of lines that hold it
    std::uint16_t last = 0;     ///< pointer: the input served last
    std::uint16_t before = 0;
  };
  struct Input {
    struct Served {
      std::uint16_t line, output;
    };
    std::uint64_t own = 0;    ///< mask of the input's lines
    std::uint64_t above = 0;  ///< mask of the lines of all higher inputs
    Served last = {};         ///< pointers: the line served last, and its output
    Served before = {};
  };

  static constexpr std::uint64_t bit(unsigned line) { return std::uint64_t{1} << line; }
  static unsigned lowest(std::uint64_t lines) { return static_cast<unsigned>(__builtin_ctzll(lines)); }
  /// Grant step of an output that several lines request: selects an input, and the next line of that input.
  /// Returns the line's bit.
  std::uint64_t choose(std::uint64_t asking, const Output& output, std::uint64_t granted) const {
    const Input& input = inputs_[input_of_[first_of(asking, inputs_[output.last].above)]];
    const unsigned last = (granted & input.own) == 0 ? input.last.line : input.before.line;
    return bit(first_after(asking & input.own, last));
  }
  /// Accept step of an input with a second grant: returns true if it accepts `output` and revokes its earlier
  /// grant.
  bool gives_way(const Input& input, unsigned output) {
    const unsigned rival = input.last.output;
    if (first_after(bit(output) | bit(rival), input.before.output) != output) return false;
    outputs_[rival].last = outputs_[rival].before;
    return true;
  }

  /// Lines of different inputs for different outputs, each being the last served at both ends: granting all
  /// of them leaves every pointer unchanged.
  std::uint64_t settled_ = 0;
  std::uint64_t wanted_ = 0;  ///< outputs that are held by a line
  Output* outputs_;
  Input* inputs_;
  std::uint8_t* input_of_;   ///< [input VC]
  std::uint8_t* output_of_;  ///< [input VC]
};

/// Adds it to the router's parts as "switch_allocator".
void add_part(PartList& parts, const LineSwitchAllocator& allocator);

}  // namespace tsuji::router
