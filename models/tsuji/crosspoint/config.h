// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::crosspoint {

/// How a switch is computed. Both give the same cycle for every packet; flit_by_flit moves every flit in
/// every cycle and is the reference that the other is tested against.
enum class SwitchMode : std::uint8_t { event_per_packet, flit_by_flit };

/// Times run from the head at this switch's input to the head at the next one's; the channel's cycle is
/// inside (rooms/crosspoint.md, Where the paper is silent, 2). At 80 MHz the defaults are the paper's 125,
/// 187.5 and 200 + a ns (section 3).
struct CrosspointConfig {
  unsigned ports = 4;  ///< N x N, 2..16
  unsigned fifo_packets =
      2;  ///< in largest packets, 1..4 (rooms/crosspoint.md, Where the paper is silent, 1)
  unsigned single_cast_cycles = 10;
  unsigned multicast_cycles = 15;
  unsigned synchronization_cycles = 16;
  unsigned table_access_cycles = 2;  ///< the "a": one access to the synchronization table at a time
  unsigned reserve_after = 4;  ///< 1..255; a multicast head passed over so often has its target FIFOs kept
  SwitchMode mode = SwitchMode::event_per_packet;
  void validate() const;  ///< throws ConfigError
};

inline constexpr unsigned max_ports = 16;
inline constexpr unsigned synchronization_ids = 128;

/// Conservation in one switch: received + replicated - merged - dropped = sent + held.
struct SwitchCounters {
  std::uint64_t packets_received = 0;
  std::uint64_t packets_sent = 0;
  std::uint64_t flits_sent = 0;
  std::uint64_t replicated =
      0;                      ///< copies beyond the first of a multicast; synchronization packets made here
  std::uint64_t merged = 0;   ///< synchronization packets absorbed
  std::uint64_t dropped = 0;  ///< a multicast copy with nowhere to go (its map was damaged on the way)
  std::uint64_t held = 0;     ///< copies in FIFOs now
  std::uint64_t held_flits = 0;  ///< their flits; a packet counts whole until it is passed on

  SwitchCounters& operator+=(const SwitchCounters& other);
};

}  // namespace tsuji::crosspoint
