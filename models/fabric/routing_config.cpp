#include "fabric/routing_config.h"

#include "fabric/kind_table.h"
#include "routing/destination_digits.h"
#include "routing/duato.h"
#include "routing/source_table.h"
#include "routing/turn_model.h"
#include "routing/up_down.h"

namespace tsuji::fabric {
namespace {

using graph::Topology;
using Pointer = std::unique_ptr<const routing::Routing>;

struct Kind {
  const char* name;
  Pointer (*make)(const RoutingConfig& c, const Topology& topology, unsigned vcs);
  const char* keys;  ///< of routing.*, that it reads
};

template <class R>
Pointer plain(const RoutingConfig&, const Topology& topology, unsigned vcs) {
  return std::make_unique<R>(topology, vcs);
}

template <routing::Turns turns>
Pointer turn_model(const RoutingConfig&, const Topology& topology, unsigned vcs) {
  return std::make_unique<routing::TurnModel>(topology, vcs, turns);
}

Pointer dimension_order(const RoutingConfig& c, const Topology& topology, unsigned vcs) {
  const auto ties = c.random_ties ? routing::Ties::random : routing::Ties::up;
  return std::make_unique<routing::DimensionOrder>(topology, vcs,
                                                   routing::DimensionOrderConfig{ties, c.dateline});
}

Pointer up_down(const RoutingConfig& c, const Topology& topology, unsigned vcs) {
  return std::make_unique<routing::UpDown>(topology, vcs, routing::UpDownConfig{c.root, c.all_paths});
}

Pointer least_common_ancestor(const RoutingConfig& c, const Topology& topology, unsigned vcs) {
  return std::make_unique<routing::LeastCommonAncestor>(topology, vcs, c.up_port);
}

Pointer source_table(const RoutingConfig& c, const Topology& topology, unsigned vcs) {
  return std::make_unique<routing::SourceTable>(topology, vcs,
                                                routing::SourceTableConfig{c.random_ties, c.seed});
}

/// One more routing is one more line here.
constexpr Kind kinds[] = {
    {"dimension_order", dimension_order, "ties dateline"},
    {"duato", plain<routing::Duato>, ""},
    {"negative_first", turn_model<routing::Turns::negative_first>, ""},
    {"west_first", turn_model<routing::Turns::west_first>, ""},
    {"north_last", turn_model<routing::Turns::north_last>, ""},
    {"up_down", up_down, "root paths"},
    {"least_common_ancestor", least_common_ancestor, "up_port"},
    {"destination_digits", plain<routing::DestinationDigits>, ""},
    {"source_table", source_table, "ties seed"},
};

const Kind& find(const std::string& name) {
  return find_kind(kinds, "routing.kind", name, "unknown routing");
}

}  // namespace

void RoutingConfig::validate() const {
  find(kind);
}

void add_routing_keys(config::KeyTable& keys, RoutingConfig& config) {
  keys.add_choice("routing.kind", config.kind, names_of(kinds), "which way packets go on it");
  keys.add_choice(
      "routing.ties", config.random_ties, {{"random", true}, {"fixed", false}},
      "equally long ways; dimension_order: random for each packet, or up; source_table: random for each "
      "entry, or the lowest neighbour");
  keys.add_choice(
      "routing.dateline", config.dateline,
      {{"crossing", routing::Dateline::crossing},
       {"balanced", routing::Dateline::balanced},
       {"switching", routing::Dateline::switching},
       {"none", routing::Dateline::none}},
      "dimension_order on rings: how packets choose between two classes of virtual channels; none deadlocks");
  keys.add_choice("routing.up_port", config.up_port,
                  {{"adaptive", routing::UpPort::adaptive},
                   {"one_to_one", routing::UpPort::one_to_one},
                   {"random", routing::UpPort::random}},
                  "least_common_ancestor: which way up");
  keys.add("routing.root", config.root, {0, 4095}, "", "up_down: router at the root of the tree");
  keys.add_choice("routing.paths", config.all_paths, {{"all", true}, {"one", false}},
                  "up_down: all shortest legal ways are candidates, or one");
  keys.add("routing.seed", config.seed, {0, ~0ULL}, "", "source_table: draws of random ties");
  add_uses(keys, "routing.kind", kinds);
  keys.only_with("routing.seed", {{"routing.ties", {"random"}}});
}

Pointer make_routing(const RoutingConfig& config, const Topology& topology, unsigned vcs) {
  return find(config.kind).make(config, topology, vcs);
}

}  // namespace tsuji::fabric
