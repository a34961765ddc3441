// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Hint bits that a source sends ahead of a packet's header (Tateshita 2009, 3.2): they confirm to a router,
/// before the look-up and without a table, that a head may leave by an output. They take neither cycles nor
/// payload.
class RouteHints {
 public:
  virtual ~RouteHints() = default;
  virtual unsigned bits() const = 0;
  /// Returns true if hints can confirm that a head which comes in by `in_port` may leave by `out_port`.
  virtual bool may_confirm(RouterId router, std::uint32_t in_port, std::uint32_t out_port) const = 0;
  /// Returns true if this head's hint confirms `out_port`, for which may_confirm() is true: route() then has
  /// a candidate with that port and all virtual channels of the routing.
  virtual bool confirms(const RouteQuery& query, std::uint32_t out_port) const = 0;
};

}  // namespace tsuji::routing
