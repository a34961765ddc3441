// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Condition of a recovery's freedom from deadlock that the head of `query`, which is in recovery, violates
/// by virtual channel `vc` of network port `port`; empty: none.
inline std::string broken_recovery(const Routing& routing, const RouteQuery& query, unsigned port,
                                   unsigned vc) {
  if ((vcs_of_recovery(routing) >> vc & 1U) == 0)
    return "a packet in recovery leaves the virtual channels of recovery";
  const char* const broken = routing.recovery()->broken_by(query, port);
  return broken == nullptr ? "" : "in recovery it " + std::string(broken);
}

}  // namespace tsuji::routing
