// SPDX-License-Identifier: Apache-2.0
#include "platforms/lookup_study/lookup_port_traffic.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"

namespace tsuji::platform {
namespace {

const graph::CubeShape& odd_torus(const graph::Topology& topology) {
  const auto* shape = topology.shape_as<graph::CubeShape>();
  if (shape == nullptr || std::find(shape->wraps.begin(), shape->wraps.end(), false) != shape->wraps.end())
    throw ConfigError("topology.kind", topology.name(),
                      "this study needs routes of equal length in all directions", "torus");
  for (const unsigned radix : shape->radices)
    if (radix % 2 == 0)
      throw ConfigError("topology.radices", std::to_string(radix),
                        "both directions round an even ring are equally long", "odd numbers");
  if (shape->nodes_per_router != 1)
    throw ConfigError("topology.nodes_per_router", std::to_string(shape->nodes_per_router),
                      "the equations are for one node a router", "1");
  return *shape;
}

}  // namespace

PortTraffic::PortTraffic(const graph::Topology& topology, const graph::PortRef& in)
    : radices_(odd_torus(topology).radices),
      here_(topology.coordinates(in.router)),
      injection_(topology.far(in.router, in.port).kind == graph::Topology::Far::Kind::node) {
  if (injection_) {
    own_ = in.router;
    beyond_ = topology.nodes() - 1U;
    return;
  }
  dimension_ = in.port / 2;
  // Packets from the lower neighbour move up.
  up_ = in.port == graph::CubeShape::down_port(dimension_);
  hops_ = radices_[dimension_] / 2;
  for (unsigned d = dimension_ + 1; d < radices_.size(); ++d) beyond_ *= radices_[d];
}

NodeId PortTraffic::draw(CounterRandom& random) const {
  // A destination h hops beyond the port has hops_ - h sources upstream of the port, times a factor common to
  // all destinations.
  std::uint64_t left = random.below(hops_ * (hops_ + 1) / 2);
  std::uint64_t hops = 0;
  while (left >= hops_ - hops) left -= hops_ - hops++;
  return node(hops, random.below(beyond_));
}

NodeId PortTraffic::node(std::uint64_t hops, std::uint64_t beyond) const {
  if (injection_) return static_cast<NodeId>(beyond < own_ ? beyond : beyond + 1);  // all but the own
  std::uint64_t result = 0, stride = 1;
  for (unsigned d = 0; d < radices_.size(); ++d) {
    std::uint64_t at = here_[d];
    if (d == dimension_) {
      at = (at + (up_ ? hops : radices_[d] - hops)) % radices_[d];
    } else if (d > dimension_) {
      at = beyond % radices_[d];
      beyond /= radices_[d];
    }
    result += at * stride;
    stride *= radices_[d];
  }
  return static_cast<NodeId>(result);
}

}  // namespace tsuji::platform
