// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// The port bits for the first switch: which of its FIFOs behind this node's input a packet is written into.
/// The fabric implements it from the topology; the Sender asks once a parcel.
class FirstHop {
 public:
  virtual ~FirstHop() = default;
  virtual std::uint32_t single_cast(NodeId destination) const = 0;
  virtual std::uint32_t multicast(std::uint32_t group, std::uint64_t map) const = 0;
  virtual std::uint32_t synchronization(std::uint64_t map) const = 0;
};

}  // namespace tsuji::nic
