// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::network::dense {

/// A head leaves its source or a router.
struct HeadDeparture {
  PacketIndex packet = 0;
  Cycle departure = 0,  ///< first cycle on the wires
      ready = 0;        ///< cycle from which the next router or node may act on it
  bool to_node = false;
};

/// First cycles of a head's stages in the router that it leaves.
struct HeadStages {
  Cycle route_computation = 0, vc_allocation = 0, switch_allocation = 0;
  Cycle credit = 0;  ///< cycle from which the credit that it takes was usable
  /// Cycles from its first route computation there to the one above, which is that of its recovery.
  Cycle blocked = 0;
};

/// Observer of the heads of a network without modules (VcNetwork::watch_heads).
class HeadWatch {
 public:
  virtual ~HeadWatch() = default;
  /// A head leaves its source.
  virtual void leaves_source(const HeadDeparture& head) = 0;
  /// A head leaves a router.
  virtual void leaves_router(const HeadDeparture& head, const HeadStages& stages) = 0;
  /// A head leaves a router by prediction. `began`: cycle of its route computation.
  virtual void crosses_router(const HeadDeparture& head, Cycle began) = 0;
};

}  // namespace tsuji::network::dense
