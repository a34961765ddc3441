// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/described.h"
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// iSLIP with one iteration for up to 64 input virtual channels, one bit each. An input virtual channel that
/// holds an output requests it in every cycle in which the input virtual channel is ready, so a request is a
/// bit of a mask and needs no call. The grants equal those of the SwitchAllocator "islip".
///
/// Contract: hold() when an input virtual channel gets an output, release() when it loses the output;
/// allocate() once a cycle in which an input virtual channel is ready.
class BitmaskSwitchAllocator {
 public:
  std::string stands_for() const;
  static constexpr unsigned most_vcs = 64;

  /// `vcs_of_input`: number of virtual channels of each input; the input virtual channels of an input are
  /// consecutive.
  BitmaskSwitchAllocator(Arena& arena, const std::vector<std::uint8_t>& vcs_of_input, unsigned outputs);

  /// From now on the input virtual channel requests `output`. It must not hold one.
  void hold(unsigned input_vc, unsigned output) {
    output_of_[input_vc] = static_cast<std::uint8_t>(output);
    outputs_[output].holders |= bit(input_vc);
    wanted_ |= bit(output);
    settled_ &= ~bit(input_vc);
  }
  /// The input virtual channel no longer requests its output. It must hold one.
  void release(unsigned input_vc) {
    const unsigned output = output_of_[input_vc];
    std::uint64_t& holders = outputs_[output].holders;
    holders &= ~bit(input_vc);
    if (holders == 0) wanted_ &= ~bit(output);
  }
  /// Input virtual channels of the same input as `input_vc`, which holds an output, or with the same output.
  std::uint64_t rivals(unsigned input_vc) const {
    return inputs_[input_of_[input_vc]].own | outputs_[output_of_[input_vc]].holders;
  }
  /// Returns the input virtual channels among `ready` that win the switch in this cycle. All ready input
  /// virtual channels must hold an output.
  [[gnu::always_inline]] std::uint64_t allocate(std::uint64_t ready) {
    if ((ready & ~settled_) == 0) return ready;
    std::uint64_t granted = 0;
    for (std::uint64_t outputs = wanted_; outputs != 0; outputs &= outputs - 1) {
      const unsigned number = lowest(outputs);
      Output& output = outputs_[number];
      std::uint64_t asking = output.holders & ready;
      if (asking == 0) continue;
      if ((asking & (asking - 1)) != 0) asking = arbitrate(asking, output, granted);
      const unsigned input_vc = lowest(asking);
      const std::uint16_t input_number = input_of_[input_vc];
      Input& input = inputs_[input_number];
      if ((granted & input.own) == 0) {
        input.before = input.last;
      } else {
        if (!yields(input, number)) continue;
        granted &= ~input.own;
      }
      granted |= asking;
      input.last = {static_cast<std::uint16_t>(input_vc), static_cast<std::uint16_t>(number)};
      output.before = output.last;
      output.last = input_number;
    }
    return settled_ = granted;
  }

 private:
  // A grant moves pointers. The values at the beginning of the cycle are kept, for a grant that is revoked.
  struct Output {
    std::uint64_t holders = 0;  ///< mask of input virtual channels that hold it
    std::uint16_t last = 0;     ///< round-robin pointer: the input served last
    std::uint16_t before = 0;
  };
  struct Input {
    struct Served {
      std::uint16_t input_vc, output;
    };
    std::uint64_t own = 0;    ///< mask of the input's input virtual channels
    std::uint64_t above = 0;  ///< mask of the input virtual channels of all higher inputs
    Served last = {};         ///< round-robin pointers: the input virtual channel served last, and its output
    Served before = {};
  };

  static constexpr std::uint64_t bit(unsigned input_vc) { return std::uint64_t{1} << input_vc; }
  static unsigned lowest(std::uint64_t input_vcs) {
    return static_cast<unsigned>(__builtin_ctzll(input_vcs));
  }
  /// Grant step of an output that several input virtual channels request: selects an input, and the next
  /// input virtual channel of that input. Returns the input virtual channel's bit.
  std::uint64_t arbitrate(std::uint64_t asking, const Output& output, std::uint64_t granted) const {
    const Input& input = inputs_[input_of_[first_of(asking, inputs_[output.last].above)]];
    const unsigned last = (granted & input.own) == 0 ? input.last.input_vc : input.before.input_vc;
    return bit(first_after(asking & input.own, last));
  }
  /// Accept step of an input with a second grant: returns true if it accepts `output` and revokes its earlier
  /// grant.
  bool yields(const Input& input, unsigned output) {
    const unsigned rival = input.last.output;
    if (first_after(bit(output) | bit(rival), input.before.output) != output) return false;
    outputs_[rival].last = outputs_[rival].before;
    return true;
  }

  /// Input virtual channels of different inputs for different outputs, each being the last served at both
  /// ends: granting all of them leaves every pointer unchanged.
  std::uint64_t settled_ = 0;
  std::uint64_t wanted_ = 0;  ///< outputs that are held by an input virtual channel
  Output* outputs_;
  Input* inputs_;
  std::uint8_t* input_of_;   ///< [input VC]
  std::uint8_t* output_of_;  ///< [input VC]
};

/// Adds it to the router's parts as "switch_allocator".
void add_part(PartList& parts, const BitmaskSwitchAllocator& allocator);

}  // namespace tsuji::router
