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

/// Synchronizations at one unit: for each sid and branch the last round in which all members of the branch
/// have arrived, and the last round of which the branch has been notified. No unit has a special role: a tree
/// link is notified when all other branches have arrived, a node when all branches have.
///
/// In a fixed tree one bit for each branch suffices. A branch arrives again only after its release, before
/// which this unit has notified it that all others had arrived; the previous round has then ended at this
/// unit.
///
/// In a tree that changes, synchronizations carry their round. Rounds of nodes persist, rounds of tree links
/// restart: each unit sends its branches the rounds in which all others have arrived. Rounds only increase,
/// so a repeated synchronization has no effect, and the least round of all members does not depend on the
/// tree.
///
/// Contract: arrive() for each synchronization; change() after each change of the tree, between two cycles.
class TreeBarriers {
 public:
  using Branches = NodeTree::Branches;
  static constexpr std::uint32_t next_round = 0;  ///< round of arrive() in a fixed tree: the next one

  /// Table of a unit with `branches` branches, the first `links` of which are tree links. `changes`: the tree
  /// changes in the run.
  TreeBarriers(unsigned links, unsigned branches, bool changes)
      : links_(links), branches_(branches), changes_(changes) {}

  /// Reports that all members of a branch have arrived in this round of the packet's synchronization.
  /// `members` are the branches with members, and TreeConfirmations::outside if members are in no branch.
  /// Returns the branches to notify, with the rounds of round(). Throws ModelError, with `where` as the
  /// place, for different members while a round is open, a branch without members, and a branch that arrives
  /// twice.
  Branches arrive(unsigned branch, const PacketTransfer& transfer, std::uint32_t round, Branches members,
                  Cycle now, const std::string& where);
  /// Round of which the branch was notified last.
  std::uint32_t round(const Packet& packet, unsigned branch) const;
  /// Number of rounds that are open.
  unsigned open() const;

  /// Notification that a new tree requires.
  struct Due {
    PacketTransfer transfer;  ///< last packet of the synchronization
    Branches branches = 0;    ///< branches to notify
  };
  /// Adopts a new tree, in which the unit has `links` tree links and unchanged nodes. `members_of(packet)`
  /// returns the branches with members, as for arrive(). Returns the notifications to send.
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
    PacketTransfer last;  ///< last packet of the synchronization, if the tree changes in the run
    bool is_open() const;
  };
  Entry& entry_of(const Packet& packet, Cycle now, const std::string& where);
  Branches notify(Entry& entry) const;
  bool keep_nodes(Entry& entry, unsigned links) const;

  unsigned links_, branches_;
  const bool changes_;
  bool first_tree_ = true;
  std::array<std::vector<Entry>, crosspoint::synchronization_ids>
      entries_{};  ///< [sid]: entries of the groups, one for each map
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
