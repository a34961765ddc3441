// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/express_order.h"

#include <algorithm>

#include "tsuji/graph/express_mesh.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {

using graph::ExpressShape;

ExpressOrder::ExpressOrder(const std::string& kind, const graph::Topology& topology,
                           std::optional<unsigned> vcs)
    : all_(require_vcs(kind, vcs.value_or(1), 1)) {
  const auto* shape = topology.shape_as<ExpressShape>();
  if (shape == nullptr) refuse_topology(kind, topology, "a mesh with express links");
  dimensions_ = static_cast<unsigned>(shape->radices.size());
  interval_ = shape->interval;
  const unsigned most = *std::max_element(shape->radices.begin(), shape->radices.end());
  for (unsigned coordinate = 0; coordinate < most; ++coordinate)
    interchange_.push_back(coordinate % interval_ == 0);
  for (RouterId router = 0; router < topology.routers(); ++router)
    for (const unsigned coordinate : topology.coordinates(router))
      places_.push_back(static_cast<std::uint16_t>(coordinate));
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node).eject);
  for (const unsigned radix : shape->radices) {
    unsigned line = 0;
    // The farthest place of a line lies within two intervals of an end.
    for (unsigned from = 0; from < std::min(radix, interval_); ++from)
      for (unsigned to = radix - std::min(radix, interval_ + 1); to < radix; ++to)
        line = std::max({line, line_hops(from, to), line_hops(to, from)});
    longest_ += line;
  }
}

void ExpressOrder::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = nodes_[query.destination.node()];
  const std::uint16_t *const here = place(query.router), *const there = place(to.router);
  for (unsigned d = 0; d < dimensions_; ++d) {
    if (here[d] == there[d]) continue;
    const bool up = here[d] < there[d];
    const unsigned steps = up ? there[d] - here[d] : here[d] - there[d];
    return candidates.add(ExpressShape::port(d, up, is_interchange(here[d]) && steps >= interval_), all_);
  }
  candidates.add(to.port, all_);
}

/// Links from one coordinate to another.
unsigned ExpressOrder::line_hops(unsigned from, unsigned to) const {
  const unsigned low = std::min(from, to), high = std::max(from, to);
  const unsigned first = (low + interval_ - 1) / interval_ * interval_, last = high / interval_ * interval_;
  if (last <= first) return high - low;
  return first - low + (last - first) / interval_ + (high - last);
}

unsigned ExpressOrder::hops(RouterId from, RouterId to) const {
  unsigned links = 0;
  for (unsigned d = 0; d < dimensions_; ++d) links += line_hops(place(from)[d], place(to)[d]);
  return links;
}

}  // namespace tsuji::routing
