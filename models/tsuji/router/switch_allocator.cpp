// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/switch_allocator.h"

#include "tsuji/core/error.h"

namespace tsuji::router {
namespace {

/// Smallest power of two that is at least `outputs`.
unsigned places(unsigned outputs) {
  unsigned result = 1;
  while (result < outputs) result *= 2;
  return result;
}

}  // namespace

SwitchAllocator::SwitchAllocator(Arena& arena, const SwitchShape& shape)
    : inputs_count_(shape.inputs),
      outputs_(arena.array<Output>(shape.outputs)),
      inputs_(arena.array<Input>(shape.inputs)),
      vcs_of_(arena.array<std::uint16_t>(std::size_t{shape.inputs} * shape.outputs)),
      grants_(arena.array<SwitchGrant>(places(shape.outputs))),
      outputs_count_(shape.outputs),
      places_mask_(places(shape.outputs) - 1) {
  // Line 0 has priority at first: each pointer is at the last line.
  for (unsigned i = 0; i < shape.inputs; ++i)
    inputs_[i] = {static_cast<std::uint8_t>(shape.outputs - 1), static_cast<std::uint8_t>(shape.vcs - 1)};
  if (shape.inputs > 64 || shape.outputs > 64)
    throw ModelError("algorithm of the switch allocator", "more than 64 lines");
}

/// Returns the first grant of this cycle that violates the contract.
WrongGrant SwitchAllocator::find_wrong() {
  if (grant_count_ > outputs_count_)
    return {"there are more grants than outputs", grants_[(grant_count_ - 1) & places_mask_]};
  std::uint64_t inputs = 0, outputs = 0;
  for (unsigned g = 0; g < grant_count_; ++g) {
    const SwitchGrant& one = grants_[g];
    const bool is_requested = one.input < inputs_count_ && one.output < outputs_count_ && one.vc < 16 &&
                              (vcs_of(one.input, one.output) >> one.vc & 1U) != 0;
    if (!is_requested) return {"nothing requests that", one};
    if ((inputs >> one.input & 1U) != 0) return {"the input has another grant", one};
    if ((outputs >> one.output & 1U) != 0) return {"the output has another grant", one};
    inputs |= std::uint64_t{1} << one.input;
    outputs |= std::uint64_t{1} << one.output;
  }
  return {};
}

}  // namespace tsuji::router
