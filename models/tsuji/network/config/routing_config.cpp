// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/routing_config.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/source_table.h"

namespace tsuji::network {
namespace {

/// The routing of topologies that have none of their own.
const char* const any_graph = "up_down";

/// "mesh, torus or cube".
std::string either(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

/// "dimension_order on a mesh, torus or cube, ..., up_down on other graphs".
std::string fitting_routings(const graph::TopologyKinds& topologies) {
  std::vector<std::pair<std::string, std::vector<std::string>>> users;
  for (const std::string& topology : topologies.names()) {
    const std::string& routing = topologies.traits(topology).routing;
    if (routing == any_graph) continue;
    const auto known =
        std::find_if(users.begin(), users.end(), [&](const auto& user) { return user.first == routing; });
    if (known == users.end()) {
      users.push_back({routing, {topology}});
    } else {
      known->second.push_back(topology);
    }
  }
  std::string text;
  for (const auto& [routing, words] : users) text += routing + " on a " + either(words) + ", ";
  return text + any_graph + " on other graphs";
}

}  // namespace

std::vector<std::string> RoutingConfig::kinds_that(bool routing::RoutingTraits::*has) const {
  std::vector<std::string> words;
  for (const std::string& word : kinds.names())
    if (kinds.traits(word).*has) words.push_back(word);
  return words;
}

void RoutingConfig::resolve(const graph::TopologyKinds& topologies, const std::string& topology_kind,
                            bool looks_up) {
  if (kind == "auto") kind = topologies.traits(topology_kind).routing;
  // One key, so one value: that of the routing which is chosen.
  const bool fixed = looks_up && kind == "dimension_order";
  auto& ties = of<routing::DimensionOrderConfig>().ties;
  auto& random_ties = of<routing::SourceTableConfig>().random_ties;
  if (!ties) ties = fixed ? routing::Ties::up : routing::Ties::random;
  if (!random_ties) random_ties = !fixed;
}

void RoutingConfig::validate() const {
  if (kind != "auto") kinds.validate(kind);
}

void add_routing_keys(config::KeyTable& keys, RoutingConfig& config, const graph::TopologyKinds& topologies) {
  auto words = config.kinds.words();
  words.insert(words.begin(), {"auto", "auto"});
  keys.add_choice("routing.kind", config.kind, std::move(words),
                  "routing algorithm; auto: " + fitting_routings(topologies));
  std::vector<std::pair<std::string, std::string>> also;
  for (const std::string& name : config.kinds.names())
    for (const std::string& other : config.kinds.traits(name).also_called) also.emplace_back(other, name);
  keys.also_called("routing.kind", std::move(also));
  config.kinds.add_keys(keys);
  // The order that configuration files have.
  if (keys.has_key("routing.up_port") && keys.has_key("routing.root"))
    keys.move_before("routing.up_port", "routing.root");
}

std::unique_ptr<const routing::Routing> make_routing(const RoutingConfig& config,
                                                     const graph::Topology& topology, unsigned vcs,
                                                     const graph::FaultSet& faults) {
  if (config.kind == "auto")
    throw ModelError("configuration", "routing.kind is still auto: call NetworkConfig::resolve() first");
  if (!faults.empty() && !config.kinds.traits(config.kind).bears_faults)
    throw ConfigError("routing.kind", config.kind, "does not route around dead links and routers",
                      either(config.kinds_that(&routing::RoutingTraits::bears_faults)) + ", or no faults.*");
  return config.kinds.make(config.kind, {topology, vcs, faults});
}

}  // namespace tsuji::network
