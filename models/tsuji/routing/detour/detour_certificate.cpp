// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/detour/detour_certificate.h"

#include <nlohmann/json.hpp>

#include "tsuji/core/error.h"

namespace tsuji::routing {
namespace {

using Json = nlohmann::ordered_json;

/// Words as hexadecimal digits, a fixed number of digits each, concatenated.
class HexWords {
 public:
  explicit HexWords(unsigned ports) : digits_((ports + 3) / 4) {}
  void add(PortWord word) {
    for (unsigned digit = digits_; digit-- > 0;) text_ += "0123456789abcdef"[word >> 4 * digit & 15];
  }
  const std::string& text() const { return text_; }

 private:
  unsigned digits_;
  std::string text_;
};

Json topology_of(const graph::Topology& topology, unsigned ports) {
  Json json{{"name", topology.name()}, {"routers", topology.routers()}, {"ports", ports}};
  Json& links = json["links"] = Json::array();
  for (const graph::RouterLink& link : topology.links())
    links.push_back({link.a.router, link.a.port, link.b.router, link.b.port});
  Json& nodes = json["router_of_node"] = Json::array();
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes.push_back(topology.node(node).eject.router);
  return json;
}

Json regions_of(const DetourGeneration& generation) {
  Json members = Json::array();
  for (RouterId router = 0; router < generation.network().routers(); ++router)
    if (generation.regions().in_region(router)) members.push_back(router);
  return members;
}

Json tables_of(const DetourGeneration& generation) {
  const DetourTables& tables = generation.tables();
  const unsigned routers = generation.network().routers();
  Json torus = Json::object(), up_down = Json::object();
  for (RouterId router = 0; router < routers; ++router) {
    if (!generation.network().lives(router)) continue;
    HexWords torus_words(tables.ports()), up_down_words(tables.ports());
    for (RouterId to = 0; to < routers; ++to) {
      if (tables.has_torus(router)) torus_words.add(tables.torus(router, to));
      up_down_words.add(tables.up_down(router, to));
    }
    if (tables.has_torus(router)) torus[std::to_string(router)] = torus_words.text();
    up_down[std::to_string(router)] = up_down_words.text();
  }
  return {{"torus", torus}, {"up_down", up_down}};
}

Json numbers_of(const DetourGeneration& generation, const RecoveryVerdict& verdict) {
  const unsigned ports = generation.tables().ports();
  Json numbers = Json::object();
  for (RouterId router = 0; router < generation.network().routers(); ++router) {
    if (!generation.network().lives(router)) continue;
    Json& row = numbers[std::to_string(router)] = Json::array();
    for (unsigned port = 0; port < ports; ++port)
      row.push_back(verdict.numbers[std::size_t{router} * ports + port]);
  }
  return numbers;
}

}  // namespace

nlohmann::ordered_json detour_certificate(const graph::Topology& topology, const DetourGeneration& generation,
                                          const RecoveryVerdict& verdict) {
  if (!verdict.holds())
    throw ModelError("detour certificate", "there is none for a verdict that does not hold");
  const graph::LivingNetwork& network = generation.network();
  return {{"format", "tsuji detour_ud 1"},
          {"topology", topology_of(topology, network.ports())},
          {"faults", {{"links", network.faults().links}, {"routers", network.faults().routers}}},
          {"cut_off", network.cut_off()},
          {"region_distance", generation.config().region_distance},
          {"region", regions_of(generation)},
          {"root", generation.root()},
          {"paths", generation.config().all_paths ? "all" : "one"},
          {"tables", tables_of(generation)},
          {"numbers", numbers_of(generation, verdict)}};
}

}  // namespace tsuji::routing
