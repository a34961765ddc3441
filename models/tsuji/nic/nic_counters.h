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

struct TranslationCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;  ///< walks of the segment and page tables
};

struct SenderCounters {
  PerPacketKind packets{};  ///< heads that left
  PerPacketKind bytes{};    ///< their payload
  PerPacketKind parcels{};  ///< last packets that left
  std::uint64_t notifications = 0;
  TranslationCounters translations;
  PerAccessKind memory_requests{};
  std::uint64_t room_blocked_cycles =
      0;  ///< summed over packets: from the first refusal for want of room to the departure
};

struct ReceiverCounters {
  PerPacketKind packets{};  ///< written out
  PerPacketKind bytes{};
  std::uint64_t corrected = 0;
  std::array<std::uint64_t, receiver_drop_causes> dropped{};  ///< indexed by ReceiverDropCause
  std::uint64_t log_entries = 0;
  std::uint64_t buffer_entry_hits = 0;
  std::uint64_t buffer_entry_misses = 0;
  TranslationCounters translations;
  PerAccessKind memory_requests{};
};

}  // namespace tsuji::nic
