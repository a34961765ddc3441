// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::machines {

/// Parameters of a gateway.
struct GatewayConfig {
  unsigned fifo_packets = 2;  ///< capacity of the FIFO of each direction, in whole packets
  Cycle cycles = 4;           ///< cycles from the arrival of the last flit to the departure of the head
  unsigned word_flits = 3;    ///< flits of the GatewayWord before each packet between two gateways

  void validate() const;  ///< throws ConfigError
};

/// Counters of a gateway. Invariants: from_group + copied = to_others + packets held in that direction, and
/// from_others + released = to_group + absorbed + packets held in that direction.
struct GatewayCounters {
  std::uint64_t from_group = 0,   ///< packets from its group
      to_others = 0;              ///< packets to other groups
  std::uint64_t from_others = 0,  ///< packets from other groups
      to_group = 0;               ///< packets to its group
  std::uint64_t copied = 0;       ///< copies, in addition to the first, of multicasts and synchronizations
  std::uint64_t absorbed = 0;     ///< synchronizations of other groups that ended here
  std::uint64_t released = 0;     ///< synchronizations sent to release the group
  std::uint64_t multicasts = 0,   ///< multicasts among from_group
      synchronizations = 0;       ///< synchronizations among from_group

  /// Adds the counts of another gateway.

  GatewayCounters& operator+=(const GatewayCounters& other);
};

}  // namespace tsuji::machines
