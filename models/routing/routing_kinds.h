#pragma once

#include <memory>

#include "tsuji/config/kinds.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

struct RoutingTraits {
  static constexpr const char* selector = "routing.kind";
  static constexpr const char* unknown = "unknown routing";
  std::vector<std::string> also_called;  ///< names that others give to it, for refusals
};

/// Every routing by its word in `routing.kind`, with its parameters. make() takes a topology, which the
/// routing does not keep, and the virtual channels of a network port.
using RoutingKinds =
    config::Kinds<RoutingTraits, std::unique_ptr<const Routing>, const graph::Topology&, unsigned>;

/// The routings of CMakeLists.txt.
RoutingKinds routing_kinds();

/// The parameters of a routing that has none: R(topology, vcs).
template <class R>
struct NoParameters {
  std::unique_ptr<const Routing> make(const graph::Topology& topology, unsigned vcs) const {
    return std::make_unique<R>(topology, vcs);
  }
};

}  // namespace tsuji::routing
