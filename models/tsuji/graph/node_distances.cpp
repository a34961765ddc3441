// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/node_distances.h"

#include <algorithm>

#include "tsuji/graph/paths.h"

namespace tsuji::graph {

NodeDistances::NodeDistances(const Topology& topology) : routers_(topology.routers()) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    inject_.push_back(topology.node(node).inject.router);
    eject_.push_back(topology.node(node).eject.router);
  }
  links_.reserve(std::size_t{routers_} * routers_);
  for (RouterId to = 0; to < routers_; ++to) {
    const std::vector<std::uint16_t> row = hops_to(topology, to);
    links_.insert(links_.end(), row.begin(), row.end());
  }
  for (const std::uint16_t links : links_)
    if (links != unreachable) longest_ = std::max<unsigned>(longest_, links);
}

}  // namespace tsuji::graph
