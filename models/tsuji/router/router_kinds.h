// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/kinds.h"
#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::router {

/// Properties of a kind of router in the table of kinds (config::Kinds).
struct RouterTraits {
  /// Key that selects the kind.
  static constexpr const char* selector = "router.kind";
  /// Message for a value that names no kind.
  static constexpr const char* unknown = "unknown router";
  /// Entry of `reads` that stands for all keys.
  static constexpr const char* every_key = "*";
  /// Keys of VcRouterConfig and of its prediction that routers of this kind read ("router.switching"), or
  /// `every_key` alone. Other keys are without effect. Keys of the network (router.vcs, router.buffer_flits)
  /// are always read and not listed.
  std::vector<std::string> reads = {};
};

/// All kinds of router by their value of `router.kind`, with their parameters. The configuration outlives the
/// RouterKind and its routers.
using RouterKinds = config::Kinds<RouterTraits, RouterKind, const VcRouterConfig&>;

/// Returns the routers that CMakeLists.txt lists.
RouterKinds router_kinds();

}  // namespace tsuji::router
