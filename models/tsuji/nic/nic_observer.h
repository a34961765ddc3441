// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::nic {

/// Told about every packet that a Receiver has written out.
class NicObserver {
 public:
  virtual ~NicObserver() = default;
  /// `now`: the cycle in which everything that the packet asked for (data, pointer, log) was in memory;
  /// `hops`: switches that it passed.
  virtual void on_delivered(const Packet& packet, Cycle now, unsigned hops) = 0;
};

}  // namespace tsuji::nic
