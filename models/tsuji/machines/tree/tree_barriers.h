// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/machines/tree/node_tree.h"

namespace tsuji::machines {

/// Synchronizations at one unit: for each sid the rounds in which the members of each branch have all
/// arrived, and those of which the branch has been notified. There is no root: a branch is notified when all
/// others have arrived, a node when it has arrived, too.
///
/// In a tree that does not change a bit a branch suffices for a round. A branch arrives again only after its
/// release, for which this unit has notified it that all others had arrived: the round is over at this unit
/// by then.
///
/// In a tree that changes, synchronizations carry their round, rounds of nodes outlast the tree, and those of
/// its links begin again: each unit sends its branches the rounds in which all others have arrived. Rounds
/// only grow, so one that comes again does no harm, and the least round of all members is the same in every
/// tree.
class TreeBarriers {
 public:
  using Branches = NodeTree::Branches;
  static constexpr std::uint32_t next_round = 0;

  /// For a unit with `branches` branches, the first `links` of which are tree links. `changes`: trees follow
  /// one another.
  TreeBarriers(unsigned links, unsigned branches, bool changes)
      : links_(links), branches_(branches), changes_(changes) {}

  /// All members of a branch have arrived in this round of the packet's synchronization; `members`: the
  /// branches that have members, with TreeConfirmations::outside where some are in no branch. Returns the
  /// branches to notify, whose rounds are round(). ModelError, with `where` for the unit: another set of
  /// members while a round is open, a branch without members, a branch that arrives twice.
  Branches arrive(unsigned branch, const PacketTransfer& transfer, std::uint32_t round, Branches members,
                  Cycle now, const std::string& where);
  /// Of which the branch was notified last.
  std::uint32_t round(const Packet& packet, unsigned branch) const;
  /// Rounds that are open.
  unsigned open() const;

  /// A synchronization whose members are notified by a new tree, with the last packet of one.
  struct Due {
    PacketTransfer transfer;
    Branches branches = 0;
  };
  /// A new tree, in which the unit has `links` tree links and the same nodes. `members_of` as for arrive().
  template <class MembersOf>
  std::vector<Due> change(unsigned links, const MembersOf& members_of);

 private:
  struct Round {
    std::uint32_t arrived = 0, notified = 0;
  };
  struct Entry {
    std::uint64_t map = 0;
    Branches members = 0;
    std::vector<Round> of_branch;
    PacketTransfer last;  ///< of a tree that changes
    bool is_open() const;
  };
  Entry& entry_of(const Packet& packet, Cycle now, const std::string& where);
  Branches notify(Entry& entry) const;
  bool keep_nodes(Entry& entry, unsigned links) const;

  unsigned links_, branches_;
  const bool changes_;
  bool first_tree_ = true;
  std::array<std::vector<Entry>, crosspoint::synchronization_ids> entries_{};  ///< [sid]: by map
};

template <class MembersOf>
std::vector<TreeBarriers::Due> TreeBarriers::change(unsigned links, const MembersOf& members_of) {
  std::vector<Due> due;
  first_tree_ = false;
  const unsigned links_before = links_;
  branches_ = branches_ - links_ + links;
  links_ = links;
  for (std::vector<Entry>& of_sid : entries_) {
    std::vector<Entry> kept;
    for (Entry& entry : of_sid) {
      if (!keep_nodes(entry, links_before)) continue;
      entry.members = members_of(*entry.last.packet);
      if (const Branches notified = notify(entry); notified != 0) due.push_back({entry.last, notified});
      kept.push_back(std::move(entry));
    }
    of_sid = std::move(kept);
  }
  return due;
}

}  // namespace tsuji::machines
