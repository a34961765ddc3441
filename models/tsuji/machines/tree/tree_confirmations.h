// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/machines/tree/node_tree.h"

namespace tsuji::machines {

/// Identity of a multicast in a tree that changes.
struct MulticastName {
  NodeId source = 0;         ///< node that sent it
  std::uint32_t number = 0;  ///< number among the source's multicasts, from 1
};

/// Table of the multicasts at one unit that members beyond its branches have not confirmed.
///
/// Contract: open() when a multicast is served, confirm() for each confirmation; clear() when the tree
/// changes.
class TreeConfirmations {
 public:
  using Branches = NodeTree::Branches;
  /// Bit for members outside the tree, which never confirm; no branch has this bit.
  static constexpr Branches outside = Branches{1} << NodeTree::most_branches;

  TreeConfirmations(unsigned nodes, std::string where) : open_of_(nodes), where_(std::move(where)) {}

  /// Adds a multicast that came from branch `from` and that the members beyond `awaited` must confirm. Throws
  /// ModelError if it is open.
  void open(const MulticastName& multicast, unsigned from, Branches awaited, Cycle now);
  /// Reports that all members beyond `branch` have the multicast. Returns the branch that it came from when
  /// no further branch is awaited. Throws ModelError for a branch that is not awaited.
  std::optional<unsigned> confirm(const MulticastName& multicast, unsigned branch, Cycle now);
  bool is_open(const MulticastName& multicast) const;
  /// Number of open multicasts.
  unsigned open() const { return count_; }
  /// Removes all multicasts.
  void clear();

 private:
  struct Entry {
    std::uint32_t number;
    unsigned from;
    Branches awaited;
  };
  [[noreturn]] void refuse(const MulticastName& multicast, const std::string& what, Cycle now) const;

  std::vector<std::vector<Entry>>
      open_of_;  ///< [source]: open multicasts, at most TreeConfig::kept_packets + 1
  const std::string where_;
  unsigned count_ = 0;
};

}  // namespace tsuji::machines
