// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// The routing that a router and its nodes use. A routing is immutable: changed tables are another routing,
/// of a higher generation, which replaces the previous one between two cycles, at a single router.
struct RoutingView {
  const Routing* routing = nullptr;  ///< outlives all readers
  std::uint32_t generation = 0;
};

}  // namespace tsuji::routing
