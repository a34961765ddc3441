// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// A packet of every random outcome that ever comes, for queries of seed 0; `all` is then true. Of more than
/// `most` outcomes: the first `most` packets.
std::vector<PacketId> packets_of_all_outcomes(const Routing& routing, unsigned most, bool& all);

}  // namespace tsuji::routing
