// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/destination_digits.h"

#include "tsuji/graph/fly.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {

DestinationDigits::DestinationDigits(const graph::Topology& topology, unsigned vcs)
    : all_(require_vcs("destination_digits", vcs, 1)), nodes_(topology.nodes()) {
  const auto* shape = topology.shape_as<graph::FlyShape>();
  if (shape == nullptr) refuse_topology("destination_digits", topology, "a k-ary n-fly");
  for (RouterId router = 0; router < topology.routers(); ++router)
    stages_.push_back(topology.coordinates(router)[0]);
  unsigned weight = nodes_;
  for (unsigned stage = 0; stage < shape->stages; ++stage) {
    weight /= shape->radix;
    for (NodeId node = 0; node < nodes_; ++node)
      ports_.push_back(static_cast<std::uint8_t>(shape->radix + node / weight % shape->radix));
  }
}

void add_destination_digits(RoutingKinds& kinds) {
  kinds.add<NoParameters<DestinationDigits>>("destination_digits", {{"dest_tag", "destination_tag"}});
}

}  // namespace tsuji::routing
