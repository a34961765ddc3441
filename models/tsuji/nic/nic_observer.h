// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::nic {

/// Observer of every packet that a Receiver has written to memory.
class NicObserver {
 public:
  virtual ~NicObserver() = default;
  /// `now` is the cycle in which all effects of the packet (data, pointer, log) were in memory; `hops` is the
  /// number of switches on its route.
  virtual void on_delivered(const Packet& packet, Cycle now, unsigned hops) = 0;
};

}  // namespace tsuji::nic
