// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/machines/tree/node_tree.h"

namespace tsuji::machines {

/// A multicast in a tree that changes: its source, and its number among the source's multicasts, from 1 on.
struct MulticastName {
  NodeId source = 0;
  std::uint32_t number = 0;
};

/// Multicasts at one unit that not all members beyond its branches have confirmed.
class TreeConfirmations {
 public:
  using Branches = NodeTree::Branches;
  /// For members outside the tree, which confirm nothing: no branch has this bit.
  static constexpr Branches outside = Branches{1} << NodeTree::most_branches;

  TreeConfirmations(unsigned nodes, std::string where) : open_of_(nodes), where_(std::move(where)) {}

  /// The multicast came from `from`, and members beyond `awaited` are to confirm it. ModelError: it is open.
  void open(const MulticastName& multicast, unsigned from, Branches awaited, Cycle now);
  /// All members beyond `branch` have the multicast. Returns the branch it came from when no branch is
  /// awaited any more. ModelError for a branch that is not awaited.
  std::optional<unsigned> confirm(const MulticastName& multicast, unsigned branch, Cycle now);
  bool is_open(const MulticastName& multicast) const;
  unsigned open() const { return count_; }
  void clear();

 private:
  struct Entry {
    std::uint32_t number;
    unsigned from;
    Branches awaited;
  };
  [[noreturn]] void refuse(const MulticastName& multicast, const std::string& what, Cycle now) const;

  std::vector<std::vector<Entry>> open_of_;  ///< [source]: at most as many as its unit keeps, and one
  const std::string where_;
  unsigned count_ = 0;
};

}  // namespace tsuji::machines
