// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/router/vc_allocator.h"

namespace tsuji::router {

struct VcAllocatorTraits {
  static constexpr const char* selector = "router.va_allocator";
  static constexpr const char* unknown = "unknown virtual-channel allocator";
  double bytes_of_pair = 0;     ///< memory for every two input virtual channels of a router
  bool keeps_contract = false;  ///< tests hold all of its grants to the contract; a run does not check them
};

/// Every virtual-channel allocator by its word in `router.va_allocator`, with its parameters.
using VcAllocatorKinds =
    config::Kinds<VcAllocatorTraits, ArenaPtr<VcAllocator>, Arena&, const VcAllocatorShape&>;

/// The virtual-channel allocators of CMakeLists.txt.
VcAllocatorKinds vc_allocator_kinds();

}  // namespace tsuji::router
