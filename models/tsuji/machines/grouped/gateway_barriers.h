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

/// Synchronizations of groups at one of their gateways, the upper of two levels: for each sid the groups that
/// have come, its own included. In two bits a group, as in a switch's table (SyncTable): another group may
/// have got all of a round, been released and come for the next one before this gateway has got all.
class GatewayBarriers {
 public:
  explicit GatewayBarriers(const GroupNumbers& numbers) : numbers_(numbers) {}
  /// Bits in hardware: an entry has its members' map, and two bits a group.
  static constexpr std::uint64_t bits(unsigned groups) {
    return std::uint64_t{crosspoint::synchronization_ids} * (64 + 2 * groups);
  }

  /// A group has come with this packet. True: with it all groups of the members have, and the round is over.
  /// `where` names the gateway in a ModelError: of another set of members while a round is open, of a group
  /// without members, of a third packet of a group.
  bool arrive(unsigned group, const Packet& packet, Cycle now, const std::string& where);
  /// Rounds that are open.
  unsigned open() const;

 private:
  struct Entry {
    std::uint64_t members = 0;
    std::uint64_t once = 0, twice = 0;  ///< groups with one, with two packets in
  };
  std::uint64_t groups_of(std::uint64_t members) const;

  const GroupNumbers numbers_;
  std::array<Entry, crosspoint::synchronization_ids> entries_{};
};

}  // namespace tsuji::machines
