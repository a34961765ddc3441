// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// The routing that a router and its nodes read. A routing is immutable: tables that change are another
/// routing of a higher generation, which takes the place of the one before between two cycles, at one router
/// alone.
struct RoutingView {
  const Routing* routing = nullptr;  ///< outlives all readers
  std::uint32_t generation = 0;
};

}  // namespace tsuji::routing
