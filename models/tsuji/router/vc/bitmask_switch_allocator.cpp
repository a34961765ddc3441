// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/bitmask_switch_allocator.h"

#include <numeric>

#include "tsuji/core/error.h"

namespace tsuji::router {

BitmaskSwitchAllocator::BitmaskSwitchAllocator(Arena& arena, const std::vector<std::uint8_t>& vcs_of_input,
                                               unsigned outputs) {
  const unsigned count = std::accumulate(vcs_of_input.begin(), vcs_of_input.end(), 0U);
  if (count > most_vcs || outputs > 64 || vcs_of_input.size() > 64)
    throw ModelError("algorithm of the switch allocator", "more than 64 input virtual channels");
  outputs_ = arena.array<Output>(outputs);
  inputs_ = arena.array<Input>(vcs_of_input.size());
  input_of_ = arena.array<std::uint8_t>(count);
  output_of_ = arena.array<std::uint8_t>(count);
  unsigned input_vc = 0;
  for (std::size_t i = 0; i < vcs_of_input.size(); ++i) {
    Input& input = inputs_[i];
    // Line 0, output 0 and input 0 have priority at first, since nothing is above the last ones.
    input.last = {most_vcs - 1, static_cast<std::uint16_t>(outputs - 1)};
    for (const unsigned end = input_vc + vcs_of_input[i]; input_vc < end; ++input_vc) {
      input_of_[input_vc] = static_cast<std::uint8_t>(i);
      input.own |= bit(input_vc);
    }
    input.above = ~(input.own | (input.own - 1));
  }
  for (unsigned o = 0; o < outputs; ++o)
    outputs_[o].last = static_cast<std::uint16_t>(vcs_of_input.size() - 1);
}

std::string BitmaskSwitchAllocator::stands_for() const {
  return "switch allocation by iSLIP";
}

void add_part(PartList& parts, const BitmaskSwitchAllocator& allocator) {
  parts.add("switch_allocator", allocator);
}

}  // namespace tsuji::router
