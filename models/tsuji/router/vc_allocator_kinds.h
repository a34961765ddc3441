// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/router/vc_allocator.h"

namespace tsuji::router {

/// Properties of a kind of virtual-channel allocator in the table of kinds (config::Kinds).
struct VcAllocatorTraits {
  /// Key that selects the kind.
  static constexpr const char* selector = "router.va_allocator";
  /// Message for a value that names no kind.
  static constexpr const char* unknown = "unknown virtual-channel allocator";
  double bytes_of_pair = 0;     ///< memory in bytes for each pair of input virtual channels of a router
  bool keeps_contract = false;  ///< tests check all of its grants against the contract; a run does not
};

/// All virtual-channel allocators by their value of `router.va_allocator`, with their parameters.
using VcAllocatorKinds =
    config::Kinds<VcAllocatorTraits, ArenaPtr<VcAllocator>, Arena&, const VcAllocatorShape&>;

/// Returns the virtual-channel allocators that CMakeLists.txt lists.
VcAllocatorKinds vc_allocator_kinds();

}  // namespace tsuji::router
