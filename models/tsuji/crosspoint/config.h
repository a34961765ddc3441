// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/config/key_table.h"
#include "tsuji/core/units.h"

namespace tsuji::crosspoint {

/// Simulation method of a switch. Both give equal cycles for every packet; flit_by_flit moves every flit in
/// every cycle and is the reference for tests.
enum class SwitchMode : std::uint8_t { event_per_packet, flit_by_flit };

/// Configuration of a crosspoint switch. Latencies in cycles are from the head at this switch's input to the
/// head at the next switch's input, and include one cycle of the channel (rooms/crosspoint.md, Where the
/// paper is silent, 2). At 80 MHz the defaults are the 125, 187.5 and 200 + a ns of Kanoh 2000, section 3.
struct CrosspointConfig {
  unsigned ports = 4;  ///< number of inputs and of outputs, 2..16
  /// Capacity of a FIFO in packets of the largest length, 1..4 (rooms/crosspoint.md, Where the paper is
  /// silent, 1).
  unsigned fifo_packets = 2;
  unsigned single_cast_cycles = 10;
  unsigned multicast_cycles = 15;
  unsigned synchronization_cycles = 16;
  /// The "a" of the paper: duration of an access to the synchronization table, which serves one at a time.
  unsigned table_access_cycles = 2;
  /// Additional duration of an access for each 64-bit word of an operand, which the paper does not have.
  unsigned combine_cycles_per_word = 1;
  /// 1..255; number of times that a multicast head is passed over before its target FIFOs are reserved.
  unsigned reserve_after = 4;
  SwitchMode mode = SwitchMode::event_per_packet;
  /// Adds the keys switch.*, without ports and combine_cycles_per_word.
  void add_keys(config::KeyTable& keys);
  void validate() const;  ///< throws ConfigError
};

inline constexpr unsigned max_ports = 16;
inline constexpr unsigned synchronization_ids = 128;
/// Largest operand of a synchronization packet, in 64-bit words: a cache line.
inline constexpr unsigned operand_words = 16;

/// Counters of a switch. Conservation: received + replicated - merged - dropped = sent + held.
struct SwitchCounters {
  std::uint64_t packets_received = 0;
  std::uint64_t packets_sent = 0;
  std::uint64_t flits_sent = 0;
  std::uint64_t replicated =
      /// Copies of a multicast beyond the first, and synchronization packets generated here.
      0;
  std::uint64_t merged = 0;   ///< synchronization packets absorbed by the table
  std::uint64_t dropped = 0;  ///< multicast copies without a destination (map damaged in flight)
  std::uint64_t held = 0;     ///< copies in FIFOs at present
  /// Flits of the copies in FIFOs; a packet counts as a whole until it has been sent.
  std::uint64_t held_flits = 0;

  SwitchCounters& operator+=(const SwitchCounters& other);
};

}  // namespace tsuji::crosspoint
