// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// ModelError if a decision is not one of RouteDecisions::possible(), which the deadlock checker and the
/// capacity bound rely on.
void require_possible(const RouteDecisions& decisions, const RouteQuery& query, Decision decision, Cycle now);

/// require_possible() for a sample of a router's decisions, of which this one is the `number`-th: the first
/// 16, then one in 1,024, as possible() may list one decision per node.
inline void check_sample(const RouteDecisions& decisions, const RouteQuery& query, Decision decision,
                         std::uint32_t number, Cycle now) {
  if (number < 16 || number % 1024 == 0) require_possible(decisions, query, decision, now);
}

}  // namespace tsuji::routing
