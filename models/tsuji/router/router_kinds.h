// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::router {

struct RouterTraits {
  static constexpr const char* selector = "router.kind";
  static constexpr const char* unknown = "unknown router";
};

/// Every kind of router by its word in `router.kind`, with its parameters. The configuration outlives the
/// product and its routers.
using RouterKinds = config::Kinds<RouterTraits, RouterKind, const VcRouterConfig&>;

/// The routers of CMakeLists.txt.
RouterKinds router_kinds();

}  // namespace tsuji::router
