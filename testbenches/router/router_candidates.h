// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/pins/pin_router.h"

// Routes of a head, as stimulus and scoreboard know them: those by coordinates are written from the papers,
// apart from the model's.

namespace tsuji::bench {

/// A head at the front of an input virtual channel.
struct HeadAt {
  unsigned in_port = 0, in_vc = 0, node = 0;
  bool recovers = false;
};

/// An output port, and the virtual channels that the head may take there; never none.
struct Candidate {
  unsigned port = 0, vcs = 0;
};

/// All candidates of a head, of the current rows; empty: it has no route.
std::vector<Candidate> candidates_of(const router::PinRouterConfig& config, const HeadAt& head);

/// Returns true if the head is for the router's own node. With coordinates only.
bool is_there(const router::PinRouterConfig& config, unsigned node);

/// Returns true if the head reads Detour-UD's table.
bool reads_table(const router::PinRouterConfig& config, const HeadAt& head);

}  // namespace tsuji::bench
