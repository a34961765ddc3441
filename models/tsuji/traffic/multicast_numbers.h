// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::traffic {

/// Numbers that multicasts carry where packets of one source, single casts and multicasts, come on several
/// ways: for a member to which its source has sent a single cast since the last multicast, the multicast's
/// place among the packets to it. Another member adds one to the place of the last multicast, as multicasts
/// of a source do not overtake each other. Packet::order of a multicast names its list.
class MulticastNumbers {
 public:
  using Number = std::pair<NodeId, std::uint32_t>;
  static constexpr std::uint32_t none = 0;  ///< the list of a multicast without numbers

  /// Keeps a list until each of `members` has read it. Returns its name.
  std::uint32_t add(std::vector<Number> numbers, unsigned members);
  /// Numbers in a list, each of which takes a flit: 6 bits name a member of a map, 18 are its number.
  unsigned count(std::uint32_t list) const {
    return list == none ? 0 : static_cast<unsigned>(lists_[list - 1].numbers.size());
  }
  /// A member's number, or `usual` where the list has none; the member reads it once. ModelError for a list
  /// that all have read.
  std::uint32_t read(std::uint32_t list, NodeId member, std::uint32_t usual);
  /// Lists that somebody is still to read.
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
