// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tsuji/graph/faults.h"

namespace tsuji::faults {

/// Knowledge about all links: the number of changes (failures and returns) of each; even: the link lives.
/// Knowledge only grows, so merging is independent of the order in which messages arrive.
class LinkStates {
 public:
  explicit LinkStates(std::size_t links) : changes_(links, 0) {}

  bool lives(std::uint32_t link) const { return changes_[link] % 2 == 0; }
  /// Number of failures and returns of the link.
  std::uint32_t changes(std::uint32_t link) const { return changes_[link]; }
  /// Sum over all links; a larger sum means more knowledge.
  std::uint64_t changes() const { return sum_; }
  void change(std::uint32_t link) { ++changes_[link], ++sum_; }
  /// Adds the knowledge of `other`.
  void merge(const LinkStates& other);
  /// The dead links, ascending. A router all of whose links are dead counts as dead; from outside the two
  /// cannot be distinguished.
  graph::FaultSet faults() const;

  /// Compares addresses and sums first, since the knowledge of 100,000 links is compared for each message.
  friend bool operator==(const LinkStates& a, const LinkStates& b) {
    return &a == &b || (a.sum_ == b.sum_ && a.changes_ == b.changes_);
  }
  friend bool operator!=(const LinkStates& a, const LinkStates& b) { return !(a == b); }
  friend bool operator<(const LinkStates& a, const LinkStates& b) {
    return a.sum_ != b.sum_ ? a.sum_ < b.sum_ : a.changes_ < b.changes_;
  }

 private:
  std::vector<std::uint32_t> changes_;
  std::uint64_t sum_ = 0;
};

}  // namespace tsuji::faults
