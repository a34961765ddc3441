// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/kinds.h"
#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::router {

struct RouterTraits {
  static constexpr const char* selector = "router.kind";
  static constexpr const char* unknown = "unknown router";
  static constexpr const char* every_key = "*";
  /// Keys of VcRouterConfig and its prediction that the routers of the kind read ("router.switching"), or
  /// `every_key` alone; others have no effect with it. Keys of the network (router.vcs, router.buffer_flits)
  /// go without saying.
  std::vector<std::string> reads = {};
};

/// Every kind of router by its word in `router.kind`, with its parameters. The configuration outlives the
/// product and its routers.
using RouterKinds = config::Kinds<RouterTraits, RouterKind, const VcRouterConfig&>;

/// The routers of CMakeLists.txt.
RouterKinds router_kinds();

}  // namespace tsuji::router
