// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::traffic {

/// Order numbers that multicasts carry if packets of one source, single casts and multicasts, arrive on
/// several paths. A multicast carries an explicit number for each member to which its source has sent a
/// single cast since the last multicast: the multicast's place among the packets to that member. Any other
/// member adds one to the number of the last multicast, since multicasts of one source do not overtake each
/// other. Packet::order of a multicast identifies its list of numbers.
class MulticastNumbers {
 public:
  using Number = std::pair<NodeId, std::uint32_t>;
  static constexpr std::uint32_t none = 0;  ///< Identifier of a multicast without explicit numbers.

  /// Stores a list until each of `members` has read it. Returns the list's identifier.
  std::uint32_t add(std::vector<Number> numbers, unsigned members);
  /// Number of entries in a list, each of which takes a flit: 6 bits identify a member of a map, 18 bits are
  /// its number.
  unsigned count(std::uint32_t list) const {
    return list == none ? 0 : static_cast<unsigned>(lists_[list - 1].numbers.size());
  }
  /// The number for a member, or `usual` if the list has none; each member reads a list once. Throws
  /// ModelError for a list that all members have read.
  std::uint32_t read(std::uint32_t list, NodeId member, std::uint32_t usual);
  /// Number of lists that some member has yet to read.
  std::size_t kept() const { return lists_.size() - free_.size(); }

 private:
  struct List {
    std::vector<Number> numbers;
    unsigned readers = 0;
  };
  std::vector<List> lists_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tsuji::traffic
