// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/rails_config.h"

#include <string>
#include <vector>

#include "tsuji/core/error.h"

namespace tsuji::network {
namespace {

using traffic::RailChoice;

/// Number of places at each router that has places; 0: the numbers differ, or the places of a router are not
/// consecutive.
std::uint32_t places_of_router(const graph::Topology& topology) {
  std::uint32_t each = 0;
  for (NodeId place = 0; place < topology.nodes();) {
    const graph::RouterId router = topology.node(place).inject.router;
    std::uint32_t count = 0;
    for (; place < topology.nodes() && topology.node(place).inject.router == router; ++place) ++count;
    if (each != 0 && count != each) return 0;
    each = count;
  }
  return each;
}

/// Distance of a node's places with RailPlacement::routers.
std::uint32_t stride_of_routers(const graph::Topology& topology, unsigned count) {
  const std::uint32_t each = places_of_router(topology);
  if (each == 0)
    throw ConfigError("rails.placement", "routers", "the routers have different numbers of places for ports",
                      "adjacent or planes");
  if (const std::uint32_t routers = topology.nodes() / each; routers % count != 0)
    throw ConfigError("rails.count", std::to_string(count),
                      "the ports of a node are at as many routers, and " + std::to_string(routers) +
                          " routers have places for ports",
                      "a divisor of the routers, or another rails.placement");
  return each;
}

}  // namespace

traffic::Rails RailsConfig::on(const graph::Topology& topology) const {
  if (count == 1) return {};
  const std::uint32_t places = topology.nodes();
  if (places % count != 0)
    throw ConfigError("rails.count", std::to_string(count),
                      "the topology has places for " + std::to_string(places) + " ports",
                      "a divisor of them");
  switch (placement) {
    case RailPlacement::routers:
      return {count, stride_of_routers(topology, count), choice};
    case RailPlacement::planes:
      return {count, places / count, choice};
    default:
      return {count, 1, choice};
  }
}

void add_rail_keys(config::KeyTable& keys, RailsConfig& config) {
  keys.add(
      "rails.count", config.count, {1, RailsConfig::most}, "ports",
      "network ports of a node; each takes the place of a node of the topology, so that one of 128 nodes "
      "holds 64 nodes with 2 ports");
  keys.add_choice(
      "rails.placement", config.placement,
      {{"adjacent", RailPlacement::adjacent},
       {"routers", RailPlacement::routers},
       {"planes", RailPlacement::planes}},
      "places of a node's ports; adjacent: consecutive ones, at one router if it has room; routers: "
      "one at each of consecutive routers (rail-optimized); planes: one in each of equal parts of "
      "the topology, which hold one port of every node");
  keys.add_choice(
      "rails.choice", config.choice,
      {{"packet", RailChoice::packet},
       {"message", RailChoice::message},
       {"destination", RailChoice::destination}},
      "port that sends a packet, which arrives at the port of that number; packet: round robin, and "
      "packets of a message may overtake each other; message: round robin for whole messages; "
      "destination: number of the destination modulo rails.count");
  std::vector<std::string> several;
  for (unsigned count = 2; count <= RailsConfig::most; ++count) several.push_back(std::to_string(count));
  for (const char* key : {"rails.placement", "rails.choice"}) keys.only_with(key, {{"rails.count", several}});
}

}  // namespace tsuji::network
