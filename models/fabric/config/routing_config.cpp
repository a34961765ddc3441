#include "tsuji/fabric/config/routing_config.h"

#include "tsuji/fabric/config/kind_table.h"
#include "tsuji/routing/destination_digits.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/turn_model.h"
#include "tsuji/routing/up_down.h"

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

Pointer automatic(const RoutingConfig& c, const Topology& topology, unsigned vcs) {
  RoutingConfig chosen = c;
  chosen.kind = fitting_routing(topology);
  return make_routing(chosen, topology, vcs);
}

Pointer source_table(const RoutingConfig& c, const Topology& topology, unsigned vcs) {
  return std::make_unique<routing::SourceTable>(topology, vcs,
                                                routing::SourceTableConfig{c.random_ties, c.seed});
}

/// One more routing is one more line here.
constexpr Kind kinds[] = {
    {"auto", automatic, ""},
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

const char* fitting_routing(const std::string& topology_kind) {
  if (topology_kind == "mesh" || topology_kind == "torus" || topology_kind == "cube")
    return "dimension_order";
  if (topology_kind == "fat_tree") return "least_common_ancestor";
  if (topology_kind == "fly") return "destination_digits";
  return "up_down";  // for any graph
}

const char* fitting_routing(const Topology& topology) {
  if (topology.shape_as<graph::CubeShape>() != nullptr) return fitting_routing("cube");
  if (topology.shape_as<graph::FatTreeShape>() != nullptr) return fitting_routing("fat_tree");
  if (topology.shape_as<graph::FlyShape>() != nullptr) return fitting_routing("fly");
  return fitting_routing("file");
}

void RoutingConfig::validate() const {
  find(kind);
}

void add_routing_keys(config::KeyTable& keys, RoutingConfig& config) {
  keys.add_choice(
      "routing.kind", config.kind, names_of(kinds),
      "routing algorithm; auto: dimension_order on a mesh, torus or cube, least_common_ancestor on a "
      "fat_tree, destination_digits on a fly, up_down on other graphs");
  keys.also_called("routing.kind", {{"xy", "dimension_order"},
                                    {"xyz", "dimension_order"},
                                    {"dor", "dimension_order"},
                                    {"dim_order", "dimension_order"},
                                    {"e_cube", "dimension_order"},
                                    {"ecube", "dimension_order"},
                                    {"adaptive", "duato"},
                                    {"min_adapt", "duato"},
                                    {"nca", "least_common_ancestor"},
                                    {"lca", "least_common_ancestor"},
                                    {"dest_tag", "destination_digits"},
                                    {"destination_tag", "destination_digits"},
                                    {"updown", "up_down"},
                                    {"table", "source_table"}});
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
