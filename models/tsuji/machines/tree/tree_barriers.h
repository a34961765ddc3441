// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/machines/tree/node_tree.h"

namespace tsuji::machines {

/// Synchronizations at one unit: for each sid the ends by which all members behind them have come, and those
/// to which that has been told. There is no root: an end is told when all others have come, a node when it
/// has come, too.
///
/// A bit an end suffices. An end comes again only when all members behind it were released, for which this
/// unit has told it that all others had come: by then each end has come here, and the round is over.
class TreeBarriers {
 public:
  using Ends = NodeTree::Ends;

  /// `node_ends`: the ends that are nodes.
  explicit TreeBarriers(Ends node_ends) : node_ends_(node_ends) {}

  /// The members behind an end have come with this packet; `members`: the ends behind which its members are.
  /// Returns the ends that are to be told. `where` names the unit in a ModelError: of another set of members
  /// while a round is open, of an end without members, of an end that comes twice.
  Ends arrive(unsigned end, const Packet& packet, Ends members, Cycle now, const std::string& where);
  /// Rounds that are open.
  unsigned open() const;

 private:
  struct Entry {
    std::uint64_t map = 0;
    Ends come = 0, told = 0;
  };

  const Ends node_ends_;
  std::array<Entry, crosspoint::synchronization_ids> entries_{};
};

}  // namespace tsuji::machines
