// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/config.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

void CrosspointConfig::validate() const {
  const auto refuse = [](const char* key, unsigned value, const char* problem, const char* accepted) {
    throw ConfigError(std::string("switch.") + key, std::to_string(value), problem, accepted);
  };
  if (ports < 2 || ports > max_ports) refuse("ports", ports, "no such switch size", "2..16");
  if (fifo_packets < 1 || fifo_packets > 4) refuse("fifo_packets", fifo_packets, "out of range", "1..4");
  if (single_cast_cycles < 2)
    refuse("single_cast_cycles", single_cast_cycles, "shorter than the channel's cycle and one more",
           "2 or more");
  if (multicast_cycles < 2)
    refuse("multicast_cycles", multicast_cycles, "shorter than the channel's cycle and one more",
           "2 or more");
  if (table_access_cycles < 1)
    refuse("table_access_cycles", table_access_cycles, "an access of no duration", "1 or more");
  if (synchronization_cycles < table_access_cycles + 2) {
    refuse("synchronization_cycles", synchronization_cycles, "shorter than its table access and its channel",
           "table_access_cycles + 2 or more");
  }
  if (reserve_after < 1 || reserve_after > 255)
    refuse("reserve_after", reserve_after, "out of range", "1..255");
}

SwitchCounters& SwitchCounters::operator+=(const SwitchCounters& other) {
  packets_received += other.packets_received;
  packets_sent += other.packets_sent;
  flits_sent += other.flits_sent;
  replicated += other.replicated;
  merged += other.merged;
  dropped += other.dropped;
  held += other.held;
  held_flits += other.held_flits;
  return *this;
}

}  // namespace tsuji::crosspoint
