// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::host {

/// A task's handle of a registered group of PEs.
struct GroupHandle {
  /// Offsets in the multicast header table, one for each group of 64 nodes that contains members.
  std::vector<std::uint16_t> multicast;
  /// True in systems of at most 64 nodes, which support synchronization
  /// (scripts/handbook.d/rooms/crosspoint.md).
  bool synchronizes = false;
  std::uint16_t synchronization = 0;  ///< Offset in the synchronization header table.
  std::uint8_t sid = 0;               ///< Identifier whose counter in the notification table is incremented.
  std::uint32_t number = 0;           ///< Number that distinguishes registrations of equal sets of nodes.
};

/// Operating system services that the library uses. The agent of a machine implements them.
///
/// Contract: the library calls register_group() and release_group() from within Cpu::system_call(), which has
/// charged the time; ask_for_group() is called when the system call of register_group() begins.
class OsServices {
 public:
  virtual ~OsServices() = default;
  /// Announces that the task on `pe` enters a system call that ends with register_group(), in cycle `now`.
  /// The agent may start the agreement with other nodes about the sid, so that it is complete at the end of
  /// the call's time.
  virtual void ask_for_group(std::uint32_t pe, const std::vector<std::uint32_t>& members, Cycle now) {
    (void)pe, (void)members, (void)now;
  }
  /// Registers the headers of a group of logical PEs for the task on `pe`, which is a member. Every member
  /// registers the group and receives the group's sid. Throws ModelError if tables or sids are exhausted.
  virtual GroupHandle register_group(std::uint32_t pe, const std::vector<std::uint32_t>& members) = 0;
  /// Releases the group in cycle `now`: the task on `pe` has received its last completion and will not use
  /// the group again. Its sid becomes free when all members have released it.
  virtual void release_group(std::uint32_t pe, const std::vector<std::uint32_t>& members,
                             const GroupHandle& group, Cycle now) = 0;
};

}  // namespace tsuji::host
