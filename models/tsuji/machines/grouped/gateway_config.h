// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::machines {

struct GatewayConfig {
  unsigned fifo_packets = 2;  ///< whole packets in each direction
  Cycle cycles = 4;           ///< from a packet's last flit here to its head on the other side
  unsigned word_flits = 3;    ///< of the gateways' word, in front of every packet between two gateways

  void validate() const;  ///< throws ConfigError
};

/// Counters of a gateway. from_group + copied = to_others + held there, and from_others + released = to_group
/// + absorbed + held there.
struct GatewayCounters {
  std::uint64_t from_group = 0, to_others = 0;  ///< packets
  std::uint64_t from_others = 0, to_group = 0;  ///< packets
  std::uint64_t copied = 0;                     ///< beyond the first, of multicasts and synchronizations
  std::uint64_t absorbed = 0;                   ///< synchronizations of other groups
  std::uint64_t released = 0;                   ///< synchronizations that release the group
  std::uint64_t multicasts = 0, synchronizations = 0;  ///< of from_group

  GatewayCounters& operator+=(const GatewayCounters& other);
};

}  // namespace tsuji::machines
