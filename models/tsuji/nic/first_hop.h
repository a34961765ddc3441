// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// Port bits for the first switch: they select the FIFOs, of those at this node's input, into which a packet
/// is written. The network implements the interface from its topology; the Sender calls it once for each
/// parcel.
class FirstHop {
 public:
  virtual ~FirstHop() = default;
  virtual std::uint32_t single_cast(NodeId destination) const = 0;
  virtual std::uint32_t multicast(std::uint32_t group, std::uint64_t map) const = 0;
  virtual std::uint32_t synchronization(std::uint64_t map) const = 0;
};

}  // namespace tsuji::nic
