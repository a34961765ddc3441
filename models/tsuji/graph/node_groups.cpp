// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/node_groups.h"

#include <map>

#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/dragonfly_plus.h"

namespace tsuji::graph {

std::vector<std::vector<NodeId>> node_groups(const Topology& topology) {
  unsigned group_routers = 1;
  if (const auto* shape = topology.shape_as<DragonflyShape>()) group_routers = shape->group_routers;
  if (const auto* shape = topology.shape_as<DragonflyPlusShape>()) group_routers = shape->group_routers();
  std::map<unsigned, std::vector<NodeId>> groups;
  for (NodeId node = 0; node < topology.nodes(); ++node)
    groups[topology.node(node).eject.router / group_routers].push_back(node);
  std::vector<std::vector<NodeId>> list;
  for (auto& entry : groups) list.push_back(std::move(entry.second));
  return list;
}

}  // namespace tsuji::graph
