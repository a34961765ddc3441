#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// iSLIP in one iteration for input virtual channels that fit into a word, a line each. A line that holds an
/// output asks for it in every cycle in which it is ready, so a request is a bit of a mask, and is neither
/// made nor withdrawn. The grants are those of the SwitchAllocator of this kind.
class LineSwitchAllocator {
 public:
  static constexpr unsigned most_lines = 64;

  /// Inputs with so many virtual channels each; their lines follow each other.
  LineSwitchAllocator(Arena& arena, const std::vector<std::uint8_t>& vcs_of_input, unsigned outputs);

  /// The line's requests go to `output` from now on. It holds none.
  void hold(unsigned line, unsigned output) {
    output_of_[line] = static_cast<std::uint8_t>(output);
    outputs_[output].holders |= bit(line);
    wanted_ |= bit(output);
    settled_ = 0;
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
    // If nobody competed in the last cycle the same lines are granted, and pointers stay as they are.
    if (ready == settled_) return ready;
    std::uint64_t granted = 0;
    for (std::uint64_t inputs = offer(ready); inputs != 0; inputs &= inputs - 1)
      granted |= accept(inputs_[lowest(inputs)], ready);
    settled_ = granted == ready ? ready : 0;
    return granted;
  }

 private:
  struct Output {
    std::uint64_t holders = 0;  ///< lines
    std::uint64_t next = 0;     ///< pointer: the lines above the input that was served last
  };
  struct Input {
    std::uint64_t own = 0;          ///< lines
    std::uint64_t above = 0;        ///< lines of the inputs above this one
    std::uint64_t next = 0;         ///< pointer: own lines above the one that was served last
    std::uint32_t last_output = 0;  ///< pointer
    std::uint32_t offer = 0;        ///< this cycle: the output that it would accept
  };

  static constexpr std::uint64_t bit(unsigned line) { return std::uint64_t{1} << line; }
  static unsigned lowest(std::uint64_t lines) { return static_cast<unsigned>(__builtin_ctzll(lines)); }
  static std::uint64_t lowest_bit(std::uint64_t lines) { return lines & (~lines + 1); }
  /// Every output grants to the next input that wants it; of several, an input keeps the next one. Returns
  /// the inputs.
  [[gnu::always_inline]] std::uint64_t offer(std::uint64_t ready) {
    std::uint64_t inputs = 0;
    for (std::uint64_t outputs = wanted_; outputs != 0; outputs &= outputs - 1) {
      const unsigned output = lowest(outputs);
      const std::uint64_t asking = outputs_[output].holders & ready;
      if (asking == 0) continue;
      const unsigned number = input_of_[first_of(asking, outputs_[output].next)];
      Input& input = inputs_[number];
      if ((inputs >> number & 1U) != 0 &&
          first_after(bit(output) | bit(input.offer), input.last_output) != output)
        continue;
      inputs |= bit(number);
      input.offer = output;
    }
    return inputs;
  }
  /// An input's next line for the output that it accepts, as a bit.
  [[gnu::always_inline]] std::uint64_t accept(Input& input, std::uint64_t ready) {
    Output& output = outputs_[input.offer];
    const std::uint64_t asking = output.holders & ready & input.own;
    const std::uint64_t preferred = asking & input.next;
    const std::uint64_t line = lowest_bit(preferred != 0 ? preferred : asking);
    input.next = input.own & ~(line | (line - 1));
    input.last_output = input.offer;
    output.next = input.above;
    return line;
  }

  std::uint64_t settled_ = 0;  ///< lines of the last cycle, if all of them were granted and none has changed
  std::uint64_t wanted_ = 0;   ///< outputs that a line holds
  Output* outputs_;
  Input* inputs_;
  std::uint8_t* input_of_;   ///< [line]
  std::uint8_t* output_of_;  ///< [line]
};

}  // namespace tsuji::router
