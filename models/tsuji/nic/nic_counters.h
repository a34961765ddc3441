// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/link/memory_access.h"
#include "tsuji/nic/packet_check.h"

namespace tsuji::nic {

/// Indexed by PacketKind: single cast, multicast, synchronization.
using PerPacketKind = std::array<std::uint64_t, 3>;
/// Indexed by MemoryAccessKind.
using PerAccessKind = std::array<std::uint64_t, memory_access_kinds>;

/// Counters of an address translation (TLB).
struct TranslationCounters {
  std::uint64_t hits = 0;    ///< translations found in the TLB
  std::uint64_t misses = 0;  ///< walks of the segment and page tables
};

/// Counters of the sending half of a network interface.
struct SenderCounters {
  PerPacketKind packets{};           ///< packets whose head has left
  PerPacketKind bytes{};             ///< payload bytes of `packets`
  PerPacketKind parcels{};           ///< parcels whose last packet has left
  std::uint64_t notifications = 0;   ///< notifications written to memory
  TranslationCounters translations;  ///< translations of source and notification addresses
  PerAccessKind memory_requests{};   ///< requests to the memory controller
  /// Cycles summed over packets, from the first refusal because of a full FIFO until the departure.
  std::uint64_t room_blocked_cycles = 0;
};

/// Counters of the receiving half of a network interface.
struct ReceiverCounters {
  PerPacketKind packets{};                                    ///< packets written to memory
  PerPacketKind bytes{};                                      ///< payload bytes of `packets`
  std::uint64_t corrected = 0;                                ///< packets accepted after a correction by ECC
  std::array<std::uint64_t, receiver_drop_causes> dropped{};  ///< indexed by ReceiverDropCause
  std::uint64_t log_entries = 0;                              ///< entries written to tasks' logs
  std::uint64_t buffer_entry_hits = 0;    ///< packets whose buffer table entry was in the cache
  std::uint64_t buffer_entry_misses = 0;  ///< packets whose buffer table entry was read from memory
  TranslationCounters translations;       ///< translations of destination addresses
  PerAccessKind memory_requests{};        ///< requests to the memory controller
};

}  // namespace tsuji::nic
