// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/routing/turn_layers.h"

namespace tsuji::routing {

/// Number of layers that LASH needs for these paths (Skeie, Lysne and Theiss 2002): each path is in one layer
/// from end to end, the lowest in which it closes no cycle of channel dependencies; in the order of
/// destinations, then sources. For comparison only; no routing uses it.
unsigned lash_layers(const graph::Topology& topology, const TurnLayers::Paths& paths);

}  // namespace tsuji::routing
