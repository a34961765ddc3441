// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/network_limits.h"

#include "tsuji/core/error.h"

namespace tsuji::graph {

void check_routers(const std::string& key, unsigned value, std::uint64_t routers) {
  if (routers > most_generated)
    throw ConfigError(key, std::to_string(value), "too many routers",
                      "at most " + std::to_string(most_generated) + " in all");
}

void check_nodes(std::uint64_t routers, unsigned nodes_per_router) {
  if (routers * nodes_per_router > most_generated)
    throw ConfigError("topology.nodes_per_router", std::to_string(nodes_per_router), "too many nodes",
                      "1.." + std::to_string(most_generated / routers) + ", at most " +
                          std::to_string(most_generated) + " nodes in all");
}

}  // namespace tsuji::graph
