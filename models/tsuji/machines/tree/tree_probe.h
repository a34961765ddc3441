// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/end.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"

namespace tsuji::machines {

/// Watches the packets of units, and changes nothing. A probe that is set hands each call to the one before
/// it.
class TreeProbe {
 public:
  virtual ~TreeProbe() = default;
  /// A packet comes to the unit at `unit`: its head from a node, its last flit from the unit at a router.
  virtual void on_take(graph::RouterId unit, End from, const Packet& packet, Cycle at) = 0;
  /// A copy begins to leave for a node, or for the unit at a router.
  virtual void on_send(graph::RouterId unit, End to, const Packet& packet, Cycle now) = 0;
};

}  // namespace tsuji::machines
