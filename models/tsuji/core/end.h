// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji {

/// Source or destination of a packet: a node, or (for control packets) a router. A NodeId converts to an End;
/// node() and router() refuse an End of the other kind.
class End {
 public:
  constexpr End() = default;                     ///< the end that is node 0
  constexpr End(NodeId node) : number_(node) {}  ///< the end that is this node, or the end with this number()
  /// The router of this number as an end.
  static constexpr End of_router(std::uint32_t router) { return End(first_router | router); }

  /// True for a router, false for a node.
  constexpr bool is_router() const { return number_ >= first_router; }
  /// Number of the node. ModelError for a router.
  constexpr NodeId node() const {
    if (is_router()) refuse(*this, "a node");
    return number_;
  }
  /// Number of the router. ModelError for a node.
  constexpr std::uint32_t router() const {
    if (!is_router()) refuse(*this, "a router");
    return number_ - first_router;
  }
  /// Node number, or for a router a number above those of all nodes; unique among all ends.
  constexpr std::uint32_t number() const { return number_; }
  /// "3" for node 3, "r3" for router 3.
  std::string name() const;
  static constexpr std::size_t longest_name = 11;  ///< Characters of the longest name().
  /// Writes name(), at most `longest_name` characters. Returns the position after the last one.
  char* put_name(char* at) const;

  friend constexpr bool operator==(End a, End b) { return a.number_ == b.number_; }
  friend constexpr bool operator!=(End a, End b) { return a.number_ != b.number_; }
  friend constexpr bool operator<(End a, End b) { return a.number_ < b.number_; }

 private:
  static constexpr std::uint32_t first_router = 0x8000'0000;
  [[noreturn]] static void refuse(End end, const char* expected);

  std::uint32_t number_ = 0;
};

}  // namespace tsuji
