// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::router {

/// The virtual-channel router (VcRouterState). `config` outlives the routers.
RouterKind vc_router(const VcRouterConfig& config);

}  // namespace tsuji::router
