// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {

/// Makes a router with the fast driver; null if the configuration or the ports need a feature that only
/// FullVcRouter has. Both drivers compute the same in every cycle.
ArenaPtr<VcRouter> make_fast_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                       const std::vector<RouterPort>& ports, const RouterParts& parts);

}  // namespace tsuji::router
