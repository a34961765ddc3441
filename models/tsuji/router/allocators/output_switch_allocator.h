// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/router/switch_allocator.h"

namespace tsuji::router {

/// Separable input-first switch allocator whose input arbiters range over outputs. Of an input's virtual
/// channels that request an output, the next one in the input's round robin is the candidate. An input
/// arbiter selects one of the outputs that the input requests, an output arbiter one of the inputs that
/// selected it. A grant moves both arbiters and the round robin.
template <class Bank>
class OutputSwitchAllocator final : public SwitchAllocator {
 public:
  std::string stands_for() const override { return "separable switch allocation, input first"; }
  OutputSwitchAllocator(Arena& arena, const SwitchShape& shape)
      : SwitchAllocator(arena, shape),
        input_bank_(arena, shape.inputs, shape.outputs),
        output_bank_(arena, shape.outputs, shape.inputs),
        wanted_outputs_(arena.array<std::uint64_t>(shape.inputs)),
        choosers_(arena.array<std::uint64_t>(shape.outputs)) {}

 private:
  void match() override {
    std::uint64_t inputs = 0;
    for_each_bit(wanted_, [&](unsigned output) {
      inputs |= outputs_[output].wishes;
      for_each_bit(outputs_[output].wishes,
                   [&](unsigned input) { wanted_outputs_[input] |= std::uint64_t{1} << output; });
    });
    for_each_bit(inputs, [&](unsigned input) {
      choosers_[input_bank_.arbitrate(input, wanted_outputs_[input])] |= std::uint64_t{1} << input;
      wanted_outputs_[input] = 0;
    });
    for_each_bit(wanted_, [&](unsigned output) {
      if (choosers_[output] != 0) serve_output(output);
    });
  }
  void serve_output(unsigned output) {
    const unsigned input = output_bank_.arbitrate(output, choosers_[output]);
    choosers_[output] = 0;
    const unsigned vc = first_after(vcs_of(input, output), inputs_[input].last_vc);
    output_bank_.served(output, input);
    input_bank_.served(input, output);
    inputs_[input].last_vc = static_cast<std::uint8_t>(vc);
    grant(input, output, vc);
  }

  Bank input_bank_, output_bank_;
  std::uint64_t* wanted_outputs_;  ///< [input]
  std::uint64_t* choosers_;        ///< [output]: mask of inputs that have selected it
};

}  // namespace tsuji::router
