// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/workloads/workloads.h"

#include "tsuji/core/error.h"

namespace tsuji::session {

void require_whole_words(const char* key, std::uint64_t bytes, unsigned unit) {
  if (bytes % unit != 0)
    throw ConfigError(key, std::to_string(bytes), "the library moves whole words",
                      "a multiple of " + std::to_string(unit));
}

void require_node(const char* key, unsigned node, const machines::Cenju4Config& machine) {
  const unsigned nodes = machine.network.topology.nodes;
  if (node >= nodes)
    throw ConfigError(key, std::to_string(node), "no such node", "0.." + std::to_string(nodes - 1));
}

void require_nodes(const char* key, unsigned nodes, const machines::Cenju4Config& machine) {
  const unsigned all = machine.network.topology.nodes;
  if (nodes > all)
    throw ConfigError(key, std::to_string(nodes), "no such nodes", "0.." + std::to_string(all));
}

void add_rounds_key(config::KeyTable& keys, std::uint64_t& rounds) {
  keys.add("workload.rounds", rounds, {1, 10'000}, "",
           "number of consecutive exchanges or collective operations");
}

}  // namespace tsuji::session
