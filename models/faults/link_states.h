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
  void change(std::uint32_t link) { ++changes_[link]; }
  /// Of all links: more where more is known.
  std::uint64_t changes() const;
  /// Takes over what `other` knows beyond this. False: nothing.
  bool merge(const LinkStates& other);
  /// The dead links, ascending. A dead router is one whose links are all dead: nobody can tell more from
  /// outside.
  graph::FaultSet faults() const;

  friend bool operator==(const LinkStates& a, const LinkStates& b) { return a.changes_ == b.changes_; }
  friend bool operator!=(const LinkStates& a, const LinkStates& b) { return !(a == b); }
  friend bool operator<(const LinkStates& a, const LinkStates& b) { return a.changes_ < b.changes_; }

 private:
  std::vector<std::uint32_t> changes_;
};

}  // namespace tsuji::faults
