// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Hint bits, which a source puts ahead of a packet's header (Tateshita 2009, 3.2): they tell a router before
/// the look-up, and without a table, that a head may leave by an output. They take no cycle and no payload.
class RouteHints {
 public:
  virtual ~RouteHints() = default;
  virtual unsigned bits() const = 0;
  /// Whether hints ever tell that heads which come in by `in_port` may leave by `out_port`.
  virtual bool may_confirm(RouterId router, std::uint32_t in_port, std::uint32_t out_port) const = 0;
  /// Whether this head's hint tells it: route() then has a candidate with `out_port` and all virtual channels
  /// of the routing. `out_port` is one of may_confirm().
  virtual bool confirms(const RouteQuery& query, std::uint32_t out_port) const = 0;
};

}  // namespace tsuji::routing
