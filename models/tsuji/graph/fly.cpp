// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/fly.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

constexpr std::uint64_t most_lines = 1U << 20;

/// Input port of line `line` at a stage whose switches distinguish lines by the digit of weight `weight`.
PortRef input(unsigned radix, RouterId first, unsigned weight, unsigned line) {
  return {first + line / (weight * radix) * weight + line % weight, line / weight % radix};
}

}  // namespace

void check_fly(unsigned radix, unsigned stages) {
  if (radix < 2 || radix > 128)
    throw ConfigError("topology.radix", std::to_string(radix), "no such switch", "2..128");
  if (stages < 1 || stages > 20)
    throw ConfigError("topology.stages", std::to_string(stages), "no such number of stages", "1..20");
  std::uint64_t lines = 1;
  for (unsigned s = 0; s < stages; ++s) {
    lines *= radix;
    if (lines > most_lines)
      throw ConfigError("topology.stages", std::to_string(stages), "too many nodes",
                        "at most " + std::to_string(most_lines) + " in all");
  }
}

Topology make_fly(unsigned radix, unsigned stages, Cycle link_latency_cycles) {
  check_fly(radix, stages);
  unsigned nodes_count = 1;
  for (unsigned s = 0; s < stages; ++s) nodes_count *= radix;
  std::vector<unsigned> weights(stages, 1);  // weight of the digit that a stage routes by, descending
  for (unsigned stage = stages - 1; stage > 0; --stage) weights[stage - 1] = weights[stage] * radix;
  const unsigned width = weights.front();  // number of switches of a stage
  std::vector<RouterLink> links;
  std::vector<NodePorts> nodes(nodes_count);
  std::vector<std::vector<unsigned>> coordinates;
  for (unsigned stage = 0; stage < stages; ++stage) {
    for (unsigned place = 0; place < width; ++place) coordinates.push_back({stage, place});
    for (unsigned line = 0; line < nodes_count; ++line) {
      const PortRef in = input(radix, stage * width, weights[stage], line);
      const PortRef out{in.router, in.port + radix};
      if (stage == 0) nodes[line].inject = in;
      if (stage + 1 == stages) {
        nodes[line].eject = out;
        continue;
      }
      const PortRef next = input(radix, (stage + 1) * width, weights[stage + 1], line);
      links.push_back({out, next, link_latency_cycles});
      links.back().one_way = true;
    }
  }
  const std::string name = std::to_string(radix) + "-ary " + std::to_string(stages) + "-fly";
  Topology fly(name, std::vector<unsigned>(stages * width, 2 * radix), std::move(links), std::move(nodes),
               FlyShape{radix, stages}, std::move(coordinates));
  // A fly of one stage has no links between routers.
  fly.set_link_classes(numbered_classes("stage", std::max(stages, 2U) - 1),
                       [&fly](const RouterLink& link) { return fly.coordinates(link.a.router)[0]; });
  return fly;
}

void FlyConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.radix", radix, {2, 128}, "ports", "fly: inputs of each switch, equal to its outputs");
  keys.add("topology.stages", stages, {1, 20}, "stages", "fly: number of switch stages");
}

void add_fly(TopologyKinds& kinds) {
  kinds.add<FlyConfig>("fly", {"destination_digits"});
}

}  // namespace tsuji::graph
