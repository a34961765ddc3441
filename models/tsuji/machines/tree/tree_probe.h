// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/end.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"

namespace tsuji::machines {

/// Observer of the packets of units. Each probe passes every call to the probe that was set before it.
class TreeProbe {
 public:
  virtual ~TreeProbe() = default;
  /// Reports a packet that arrives at the unit of router `unit` in cycle `at`: with its head from a node,
  /// with its last flit from the unit of another router.
  virtual void on_take(graph::RouterId unit, End from, const Packet& packet, Cycle at) = 0;
  /// Reports that a copy begins to leave for a node, or for the unit of a router.
  virtual void on_send(graph::RouterId unit, End to, const Packet& packet, Cycle now) = 0;
};

}  // namespace tsuji::machines
