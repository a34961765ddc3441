// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/cube_tables.h"

#include <algorithm>

#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

const CubeShape& shape_of(const graph::Topology& topology, const std::string& kind) {
  const auto* shape = topology.shape_as<CubeShape>();
  if (shape == nullptr) refuse_topology(kind, topology, "a torus or mesh");
  return *shape;
}

}  // namespace

CubeTables::CubeTables(const graph::Topology& topology, const std::string& kind)
    : dimensions_(static_cast<unsigned>(shape_of(topology, kind).radices.size())) {
  const CubeShape& shape = shape_of(topology, kind);
  for (unsigned d = 0; d < dimensions_; ++d) {
    const unsigned radix = shape.radices[d];
    axes_.push_back({static_cast<std::uint16_t>(radix), shape.wraps[d], shape.wraps[d] && radix >= 4});
  }
  for (RouterId router = 0; router < topology.routers(); ++router) {
    const auto& coordinates = topology.coordinates(router);
    routers_.insert(routers_.end(), coordinates.begin(), coordinates.end());
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::PortRef at = topology.node(node).eject;
    const auto& coordinates = topology.coordinates(at.router);
    nodes_.insert(nodes_.end(), coordinates.begin(), coordinates.end());
    node_ports_.push_back(static_cast<std::uint16_t>(at.port));
  }
}

unsigned CubeTables::hops(const std::uint16_t* from, const std::uint16_t* to) const {
  unsigned sum = 0;
  for (unsigned d = 0; d < dimensions_; ++d) {
    const unsigned apart = from[d] < to[d] ? to[d] - from[d] : from[d] - to[d];
    sum += wraps(d) ? std::min(apart, radix(d) - apart) : apart;
  }
  return sum;
}

unsigned CubeTables::longest() const {
  unsigned sum = 0;
  for (unsigned d = 0; d < dimensions_; ++d) sum += wraps(d) ? radix(d) / 2U : radix(d) - 1U;
  return sum;
}

bool CubeTables::any_wraps() const {
  for (unsigned d = 0; d < dimensions_; ++d)
    if (wraps(d)) return true;
  return false;
}

bool CubeTables::any_long_ring() const {
  for (unsigned d = 0; d < dimensions_; ++d)
    if (is_long_ring(d)) return true;
  return false;
}

}  // namespace tsuji::routing
