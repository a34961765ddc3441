// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/router/switch_allocator.h"

namespace tsuji::router {

struct SwitchAllocatorTraits {
  static constexpr const char* selector = "router.sa_allocator";
  static constexpr const char* unknown = "unknown switch allocator";
  double bytes_of_pair = 0;     ///< memory for every two input virtual channels of a router
  bool keeps_contract = false;  ///< tests hold all of its grants to the contract; a run does not check them
};

/// Every switch allocator by its word in `router.sa_allocator`, with its parameters.
using SwitchAllocatorKinds =
    config::Kinds<SwitchAllocatorTraits, ArenaPtr<SwitchAllocator>, Arena&, const SwitchShape&>;

/// The switch allocators of CMakeLists.txt.
SwitchAllocatorKinds switch_allocator_kinds();

}  // namespace tsuji::router
