// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/routing/turn_layers.h"

namespace tsuji::routing {

/// Layers that LASH takes for these paths (Skeie, Lysne and Theiss 2002): each path lies in one layer from
/// end to end, the lowest where it closes no cycle of channel dependencies; paths by destination, then by
/// source. For comparison; no routing uses it.
unsigned lash_layers(const graph::Topology& topology, const TurnLayers::Paths& paths);

}  // namespace tsuji::routing
