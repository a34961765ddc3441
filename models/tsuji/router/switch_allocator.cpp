// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/switch_allocator.h"

#include "tsuji/core/error.h"

namespace tsuji::router {

SwitchAllocator::SwitchAllocator(Arena& arena, const SwitchShape& shape)
    : inputs_count_(shape.inputs),
      outputs_(arena.array<Output>(shape.outputs)),
      inputs_(arena.array<Input>(shape.inputs)),
      vcs_of_(arena.array<std::uint16_t>(std::size_t{shape.inputs} * shape.outputs)),
      grants_(arena.array<SwitchGrant>(shape.outputs)) {
  // Line 0 goes first at the beginning: no output and no input has others that it prefers.
  for (unsigned i = 0; i < shape.inputs; ++i)
    inputs_[i] = {static_cast<std::uint8_t>(shape.outputs - 1), static_cast<std::uint8_t>(shape.vcs - 1)};
  if (shape.inputs > 64 || shape.outputs > 64) throw ModelError("switch allocator", "more than 64 lines");
}

}  // namespace tsuji::router
