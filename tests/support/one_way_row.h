// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::test {

/// Routers 0 to 3 in a row, and a link that carries flits from 3 to 0 alone; a node at each router.
inline graph::Topology one_way_row() {
  std::vector<graph::RouterLink> links;
  for (graph::RouterId at = 0; at < 3; ++at) links.push_back({{at, 1}, {at + 1, 2}});
  links.push_back({{3, 3}, {0, 3}, 1, true});
  std::vector<graph::NodePorts> nodes;
  for (graph::RouterId at = 0; at < 4; ++at) nodes.push_back({{at, 0}, {at, 0}});
  return graph::Topology("row", {4, 4, 4, 4}, links, nodes, {});
}

}  // namespace tsuji::test
