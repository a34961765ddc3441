// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tsuji/graph/faults.h"

namespace tsuji::faults {

/// Knowledge of all links: how often each one has died or returned. Even: it lives. Knowledge only
/// grows, so of two parts the union is defined, whichever was heard first.
class LinkStates {
 public:
  explicit LinkStates(std::size_t links) : changes_(links, 0) {}

  bool lives(std::uint32_t link) const { return changes_[link] % 2 == 0; }
  /// How often the link has died or returned.
  std::uint32_t changes(std::uint32_t link) const { return changes_[link]; }
  /// Of all links: more where more is known.
  std::uint64_t changes() const { return sum_; }
  void change(std::uint32_t link) { ++changes_[link], ++sum_; }
  /// Takes over what `other` knows beyond this.
  void merge(const LinkStates& other);
  /// The dead links, ascending. A dead router is one whose links are all dead: nobody can tell more from
  /// outside.
  graph::FaultSet faults() const;

  /// Knowledge of 100,000 links is compared at each message, so most answers come from addresses and sums.
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
