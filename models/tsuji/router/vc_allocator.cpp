// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc_allocator.h"

#include "tsuji/core/error.h"

namespace tsuji::router {

VcAllocator::VcAllocator(Arena& arena, const VcAllocatorShape& shape)
    : shape_(shape),
      requests_(arena.array<VcRequest>(std::size_t{shape.input_vcs} * shape.requests_of_head)) {
  if (shape.ports > 64) throw ModelError("algorithm of the virtual-channel allocator", "more than 64 ports");
}

}  // namespace tsuji::router
