// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/described.h"
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// iSLIP in one iteration for input virtual channels that fit into a word, a line each. A line that holds an
/// output asks for it in every cycle in which it is ready, so a request is a bit of a mask, and is neither
/// made nor withdrawn. The grants are those of the SwitchAllocator of this kind.
class LineSwitchAllocator {
 public:
  std::string stands_for() const;
  static constexpr unsigned most_lines = 64;

  /// Inputs with so many virtual channels each; their lines follow each other.
  LineSwitchAllocator(Arena& arena, const std::vector<std::uint8_t>& vcs_of_input, unsigned outputs);

  /// The line's requests go to `output` from now on. It holds none.
  void hold(unsigned line, unsigned output) {
    output_of_[line] = static_cast<std::uint8_t>(output);
    outputs_[output].holders |= bit(line);
    wanted_ |= bit(output);
    settled_ &= ~bit(line);
  }
  /// The line holds an output.
  void release(unsigned line) {
    const unsigned output = output_of_[line];
    std::uint64_t& holders = outputs_[output].holders;
    holders &= ~bit(line);
    if (holders == 0) wanted_ &= ~bit(output);
  }
  /// The lines among `ready` that are granted in this cycle. All of them hold an output.
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
  // Pointers move with a grant. Those of the cycle's beginning are kept for a grant that is taken back.
  struct Output {
    std::uint64_t holders = 0;  ///< lines
    std::uint16_t last = 0;     ///< pointer: the input that was served last
    std::uint16_t before = 0;
  };
  struct Input {
    struct Served {
      std::uint16_t line, output;
    };
    std::uint64_t own = 0;    ///< lines
    std::uint64_t above = 0;  ///< lines of the inputs above this one
    Served last = {};         ///< pointers: the line that was served last, and its output
    Served before = {};
  };

  static constexpr std::uint64_t bit(unsigned line) { return std::uint64_t{1} << line; }
  static unsigned lowest(std::uint64_t lines) { return static_cast<unsigned>(__builtin_ctzll(lines)); }
  /// Several lines ask for an output: it grants to the next input, and that to its own next line. As a bit.
  std::uint64_t choose(std::uint64_t asking, const Output& output, std::uint64_t granted) const {
    const Input& input = inputs_[input_of_[first_of(asking, inputs_[output.last].above)]];
    const unsigned last = (granted & input.own) == 0 ? input.last.line : input.before.line;
    return bit(first_after(asking & input.own, last));
  }
  /// Two outputs grant to an input: true if it accepts `output`, and the grant that it had is taken back.
  bool gives_way(const Input& input, unsigned output) {
    const unsigned rival = input.last.output;
    if (first_after(bit(output) | bit(rival), input.before.output) != output) return false;
    outputs_[rival].last = outputs_[rival].before;
    return true;
  }

  /// Lines of different inputs for different outputs, each the last that was served at both: granted together
  /// they leave all pointers as they are.
  std::uint64_t settled_ = 0;
  std::uint64_t wanted_ = 0;  ///< outputs that a line holds
  Output* outputs_;
  Input* inputs_;
  std::uint8_t* input_of_;   ///< [line]
  std::uint8_t* output_of_;  ///< [line]
};

/// As its router's "switch_allocator".
void add_part(PartList& parts, const LineSwitchAllocator& allocator);

}  // namespace tsuji::router
