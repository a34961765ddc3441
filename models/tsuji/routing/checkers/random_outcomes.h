// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Returns a packet for every possible random outcome, for queries with seed 0, and sets `all`. With more
/// than `most` outcomes it returns the first `most` packets.
std::vector<PacketId> packets_of_all_outcomes(const Routing& routing, unsigned most, bool& all);

}  // namespace tsuji::routing
