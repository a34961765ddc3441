// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/machines/grouped/group_numbers.h"

namespace tsuji::machines {

/// Synchronizations between groups at one gateway, the upper of two levels: for each sid the groups that have
/// arrived, including its own. Each group has two bits, as in a switch's table (SyncTable): another group may
/// complete a round, be released and arrive for the next round before this gateway has completed the first.
class GatewayBarriers {
 public:
  explicit GatewayBarriers(const GroupNumbers& numbers) : numbers_(numbers) {}
  /// Number of bits in hardware: each entry has the map of its members, and two bits for each group.
  static constexpr std::uint64_t bits(unsigned groups) {
    return std::uint64_t{crosspoint::synchronization_ids} * (64 + 2 * groups);
  }

  /// Reports the arrival of a group. Returns true if all groups with members have arrived, which ends the
  /// round. Throws ModelError, with `where` as the place, for different members while a round is open, a
  /// group without members, and a third packet of a group.
  bool arrive(unsigned group, const Packet& packet, Cycle now, const std::string& where);
  /// Number of rounds that are open.
  unsigned open() const;

 private:
  struct Entry {
    std::uint64_t members = 0;
    std::uint64_t once = 0, twice = 0;  ///< groups with one arrival; groups with two
  };
  std::uint64_t groups_of(std::uint64_t members) const;

  const GroupNumbers numbers_;
  std::array<Entry, crosspoint::synchronization_ids> entries_{};
};

}  // namespace tsuji::machines
