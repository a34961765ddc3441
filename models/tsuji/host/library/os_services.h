// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::host {

/// A task's handle of a registered group of PEs.
struct GroupHandle {
  /// Offsets in the multicast header table, one for each group of 64 nodes that the members lie in.
  std::vector<std::uint16_t> multicast;
  /// Synchronization exists in systems of at most 64 nodes (rooms/crosspoint.md).
  bool synchronizes = false;
  std::uint16_t synchronization = 0;  ///< offset in the synchronization header table
  std::uint8_t sid = 0;               ///< identifier whose counter in the notification table grows
  std::uint32_t number = 0;           ///< of the registrations of these nodes, which tells them apart
};

/// The operating system's part that the library asks for. The agent of a platform implements it; the library
/// calls it from within Cpu::system_call, which has charged the time.
class OsServices {
 public:
  virtual ~OsServices() = default;
  /// The task on `pe` enters the system call that ends with register_group, in cycle `now`: what has to be
  /// agreed with the other nodes (the sid) can be asked for now, so that the answer is there when the call's
  /// time has passed.
  virtual void ask_for_group(std::uint32_t pe, const std::vector<std::uint32_t>& members, Cycle now) {
    (void)pe, (void)members, (void)now;
  }
  /// Registers the headers of a group of logical PEs for the task on `pe`, which is a member. Every member
  /// registers the same group and gets the same sid. Throws ModelError when tables or sids are used up.
  virtual GroupHandle register_group(std::uint32_t pe, const std::vector<std::uint32_t>& members) = 0;
  /// Gives the group back, in cycle `now`: the task on `pe` has received its last completion and sends
  /// nothing more to it. Its sid is free for others when all members have done so.
  virtual void release_group(std::uint32_t pe, const std::vector<std::uint32_t>& members,
                             const GroupHandle& group, Cycle now) = 0;
};

}  // namespace tsuji::host
