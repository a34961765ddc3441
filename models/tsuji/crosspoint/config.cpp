// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/config.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

void CrosspointConfig::add_keys(config::KeyTable& keys) {
  keys.add("switch.fifo_packets", fifo_packets, {1, 4}, "packets",
           "capacity of each crosspoint FIFO, in packets of the largest size");
  keys.add("switch.single_cast_cycles", single_cast_cycles, {2, 1000}, "cycles",
           "latency of a single-cast packet through an idle switch, from its head at the input to its head "
           "at the next switch's input");
  keys.add("switch.multicast_cycles", multicast_cycles, {2, 1000}, "cycles",
           "latency of a multicast packet through an idle switch, from its head at the input to its head at "
           "the next switch's input");
  keys.add("switch.synchronization_cycles", synchronization_cycles, {3, 1000}, "cycles",
           "latency of a synchronization packet through a switch without waiting, from its head at the input "
           "to its head at the next switch's input");
  keys.add("switch.table_access_cycles", table_access_cycles, {1, 1000}, "cycles",
           "duration of an access to the synchronization table, which serves one access at a time");
  keys.add(
      "switch.reserve_after", reserve_after, {1, 255}, "packets",
      "number of packets that may overtake a multicast head before its target FIFOs are reserved for it");
  keys.add_choice(
      "switch.mode", mode,
      {{"event_per_packet", SwitchMode::event_per_packet}, {"flit_by_flit", SwitchMode::flit_by_flit}},
      "simulation mode of the crosspoint switches; both modes give equal cycles for every packet");
}

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
