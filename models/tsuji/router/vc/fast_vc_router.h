// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {

/// A router with the fast driver, or null if configuration or ports ask for a feature that only FullVcRouter
/// has. Both drivers do the same in every cycle.
ArenaPtr<VcRouter> make_fast_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                       const std::vector<RouterPort>& ports, const RouterParts& parts);

}  // namespace tsuji::router
