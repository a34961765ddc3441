// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {

/// Virtual channels of each port's input.
std::vector<std::uint8_t> vcs_of_inputs(const std::vector<RouterPort>& ports);
/// Returns true if BitmaskSwitchAllocator grants what the configured switch allocator would.
bool allocates_by_bitmask(const VcRouterConfig& config);

/// Makes a router with the fast driver; null if the configuration or the ports need a feature that only
/// FullVcRouter has. Both drivers compute the same in every cycle.
ArenaPtr<VcRouter> make_fast_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                       const std::vector<RouterPort>& ports, const RouterParts& parts);

// Within make_fast_vc_router().

/// Returns true if the driver needs what only a few configurations have (FastVcRouter).
bool needs_times(const VcRouterConfig& config, const RouterParts& parts);
/// Makes a router with the fast driver that also counts states (RouterParts::counts_waits).
ArenaPtr<VcRouter> make_counting_driver(const VcRouterConfig& config, graph::RouterId id,
                                        const std::vector<RouterPort>& ports, const RouterParts& parts);

}  // namespace tsuji::router
