#pragma once

#include <memory>
#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/routing.h"

namespace tsuji::fabric {

/// Which routing, and the choices that some of them leave.
struct RoutingConfig {
  std::string kind = "auto";  ///< a name of the table in routing_config.cpp
  bool random_ties = true;
  routing::Dateline dateline = routing::Dateline::crossing;
  routing::UpPort up_port = routing::UpPort::adaptive;
  unsigned root = 0;
  bool all_paths = true;
  std::uint64_t seed = 1;

  void validate() const;  ///< throws ConfigError for a kind that does not exist
};

/// The routing that `auto` stands for on a kind of topology (topology.kind), and on a topology that was made.
const char* fitting_routing(const std::string& topology_kind);
const char* fitting_routing(const graph::Topology& topology);

/// Binds the keys routing.*.
void add_routing_keys(config::KeyTable& keys, RoutingConfig& config);

/// Builds it for a topology (which it does not keep) and the virtual channels of a network port. Throws
/// ConfigError of routing.kind where it does not fit the topology, of router.vcs where it needs more.
std::unique_ptr<const routing::Routing> make_routing(const RoutingConfig& config,
                                                     const graph::Topology& topology, unsigned vcs);

}  // namespace tsuji::fabric
