#include "tsuji/fabric/config/topology_config.h"

#include "tsuji/fabric/config/kind_table.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_file.h"

namespace tsuji::fabric {
namespace {

using graph::Topology;

struct Kind {
  const char* name;
  Topology (*make)(const TopologyConfig& c, Cycle latency);
  const char* keys;  ///< of topology.*, that it reads
};

Topology cube(const TopologyConfig& c, Cycle latency) {
  const std::vector<bool> wraps(c.wraps.begin(), c.wraps.end());
  return graph::make_cube({c.radices, wraps, c.nodes_per_router}, latency);
}

Topology random_grid(const TopologyConfig& c, Cycle latency) {
  return graph::make_random_grid({c.nodes, c.degree, c.wire_length, c.seed, c.cycles_per_length}, latency);
}

/// One more topology is one more line here.
constexpr Kind kinds[] = {
    {"mesh",
     [](const TopologyConfig& c, Cycle l) { return graph::make_mesh(c.radices, c.nodes_per_router, l); },
     "radices nodes_per_router"},
    {"torus",
     [](const TopologyConfig& c, Cycle l) { return graph::make_torus(c.radices, c.nodes_per_router, l); },
     "radices nodes_per_router"},
    {"cube", cube, "radices wraps nodes_per_router"},
    {"fat_tree",
     [](const TopologyConfig& c, Cycle l) {
       return graph::make_fat_tree(c.up_links, c.down_links, c.levels, l);
     },
     "up_links down_links levels"},
    {"fly", [](const TopologyConfig& c, Cycle l) { return graph::make_fly(c.radix, c.stages, l); },
     "radix stages"},
    {"random_grid", random_grid, "nodes degree wire_length cycles_per_length seed"},
    {"random_regular",
     [](const TopologyConfig& c, Cycle l) {
       return graph::make_random_regular(c.nodes, c.degree, c.seed, l);
     },
     "nodes degree seed"},
    {"file", [](const TopologyConfig& c, Cycle l) { return graph::read_topology_file(c.file, l); }, "file"},
};

const Kind& find(const std::string& name) {
  return find_kind(kinds, "topology.kind", name, "unknown topology");
}

}  // namespace

void TopologyConfig::validate() const {
  const Kind& chosen = find(kind);
  if (chosen.name == std::string("file") && file.empty())
    throw ConfigError("topology.file", "", "no file for topology.kind file", "the path of a topology file");
}

void add_topology_keys(config::KeyTable& keys, TopologyConfig& config) {
  keys.add_choice("topology.kind", config.kind, names_of(kinds), "which network; each has keys of its own");
  keys.add("topology.radices", config.radices, {2, 32768}, {1, 8}, "routers",
           "mesh, torus, cube: routers of each dimension");
  keys.add("topology.wraps", config.wraps, {0, 1}, {1, 8}, "",
           "cube: for each dimension 1 if it wraps; mesh: none does, torus: all do");
  keys.add("topology.nodes_per_router", config.nodes_per_router, {1, 256}, "nodes",
           "mesh, torus, cube: nodes of a router");
  keys.add("topology.up_links", config.up_links, {1, 256}, "links", "fat_tree: p of (p,q,r)");
  keys.add("topology.down_links", config.down_links, {2, 256}, "links", "fat_tree: q of (p,q,r)");
  keys.add("topology.levels", config.levels, {1, 16}, "levels", "fat_tree: r of (p,q,r)");
  keys.add("topology.radix", config.radix, {2, 128}, "ports", "fly: inputs and outputs of a switch");
  keys.add("topology.stages", config.stages, {1, 20}, "stages", "fly: stages of switches");
  keys.add("topology.nodes", config.nodes, {3, 4096}, "nodes",
           "random_grid, random_regular: nodes, one a router; a square number on the grid");
  keys.add("topology.degree", config.degree, {2, 128}, "links",
           "random_grid, random_regular: links of a router");
  keys.add("topology.wire_length", config.wire_length, {1, 8192}, "",
           "random_grid: longest wire, Manhattan distance on the grid");
  keys.add("topology.cycles_per_length", config.cycles_per_length, {0, 1000}, "cycles",
           "random_grid: latency added for each unit of length after the first");
  keys.add("topology.seed", config.seed, {0, ~0ULL}, "", "random_grid, random_regular: which graph");
  keys.add("topology.file", config.file, "file: path of the topology file");
  add_uses(keys, "topology.kind", kinds);
}

Topology make_topology(const TopologyConfig& config, Cycle link_latency_cycles) {
  config.validate();
  return find(config.kind).make(config, link_latency_cycles);
}

}  // namespace tsuji::fabric
