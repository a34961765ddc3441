// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/router/switch_allocator.h"

namespace tsuji::router {

/// Properties of a kind of switch allocator in the table of kinds (config::Kinds).
struct SwitchAllocatorTraits {
  /// Key that selects the kind.
  static constexpr const char* selector = "router.sa_allocator";
  /// Message for a value that names no kind.
  static constexpr const char* unknown = "unknown switch allocator";
  double bytes_of_pair = 0;     ///< memory in bytes for each pair of input virtual channels of a router
  bool keeps_contract = false;  ///< tests check all of its grants against the contract; a run does not
};

/// All switch allocators by their value of `router.sa_allocator`, with their parameters.
using SwitchAllocatorKinds =
    config::Kinds<SwitchAllocatorTraits, ArenaPtr<SwitchAllocator>, Arena&, const SwitchShape&>;

/// Returns the switch allocators that CMakeLists.txt lists.
SwitchAllocatorKinds switch_allocator_kinds();

}  // namespace tsuji::router
