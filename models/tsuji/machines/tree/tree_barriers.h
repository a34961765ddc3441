// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/machines/tree/node_tree.h"

namespace tsuji::machines {

/// Synchronizations at one unit: for each sid the branches whose members have all arrived, and those that
/// have been notified. There is no root: a branch is notified when all others have arrived, a node when it
/// has arrived, too.
///
/// One bit a branch suffices. A branch arrives again only after its release, for which this unit has notified
/// it that all others had arrived: the round is over at this unit by then.
class TreeBarriers {
 public:
  using Branches = NodeTree::Branches;

  /// `node_branches`: the branches that are nodes.
  explicit TreeBarriers(Branches node_branches) : node_branches_(node_branches) {}

  /// All members of a branch have arrived with this packet; `members`: the branches that have members.
  /// Returns the branches to notify. ModelError, with `where` for the unit: another set of members while a
  /// round is open, a branch without members, a branch that arrives twice.
  Branches arrive(unsigned branch, const Packet& packet, Branches members, Cycle now,
                  const std::string& where);
  /// Rounds that are open.
  unsigned open() const;

 private:
  struct Entry {
    std::uint64_t map = 0;
    Branches arrived = 0, notified = 0;
  };

  const Branches node_branches_;
  std::array<Entry, crosspoint::synchronization_ids> entries_{};
};

}  // namespace tsuji::machines
