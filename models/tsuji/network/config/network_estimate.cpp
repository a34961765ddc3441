// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/network_estimate.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly_plus.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"

namespace tsuji::network {
namespace {

/// Adds a port of a router for each node, with a channel in each direction.
void attach_nodes(NetworkSize& size) {
  size.ports += size.nodes;
  size.inputs += size.nodes;
  size.channels = size.router_channels + 2 * size.nodes;
}

/// A network of bidirectional links.
NetworkSize two_way(double routers, double links, double nodes, double hops) {
  NetworkSize size;
  size.routers = routers;
  size.nodes = nodes;
  size.ports = size.inputs = size.router_channels = 2 * links;
  size.hops = hops;
  attach_nodes(size);
  return size;
}

NetworkSize cube_size(const graph::CubeShape& cube) {
  graph::check_cube(cube);
  double routers = 1, links = 0, hops = 1;
  for (const unsigned radix : cube.radices) routers *= radix;
  for (std::size_t d = 0; d < cube.radices.size(); ++d) {
    const double radix = cube.radices[d];
    const bool wraps = cube.wraps[d];
    links += routers / radix * (wraps ? radix : radix - 1);
    const double odd = cube.radices[d] % 2;
    hops += wraps ? (radix * radix - odd) / (4 * radix) : (radix * radix - 1) / (3 * radix);
  }
  return two_way(routers, links, routers * cube.nodes_per_router, hops);
}

NetworkSize fat_tree_size(const graph::FatTreeConfig& tree) {
  graph::check_fat_tree(tree.up_links, tree.down_links, tree.levels);
  const double up = tree.up_links, down = tree.down_links;
  const double nodes = std::pow(down, tree.levels);
  double routers = 0, links = 0, hops = 0;
  for (unsigned level = 0; level < tree.levels; ++level) {
    const double switches = std::pow(down, tree.levels - 1 - level) * std::pow(up, level);
    routers += switches;
    if (level + 1 < tree.levels) links += switches * up;
    // Pairs whose lowest common ancestor is on this level pass 2 level + 1 switches.
    hops += (std::pow(down, level + 1) - (level == 0 ? 0 : std::pow(down, level))) / nodes * (2 * level + 1);
  }
  NetworkSize size = two_way(routers, links, nodes, hops);
  size.candidates = up;
  return size;
}

NetworkSize fly_size(const graph::FlyConfig& fly) {
  graph::check_fly(fly.radix, fly.stages);
  NetworkSize size;
  size.nodes = std::pow(fly.radix, fly.stages);
  size.routers = size.nodes / fly.radix * fly.stages;
  size.router_channels = size.nodes * (fly.stages - 1);
  size.inputs = size.router_channels + size.nodes;
  size.ports = 2 * size.inputs;
  size.channels = size.router_channels + 2 * size.nodes;
  size.hops = fly.stages;
  return size;
}

NetworkSize random_size(const graph::RandomGraphConfig& random, bool grid) {
  const double nodes = random.nodes, degree = random.degree;
  const double by_degree = std::log(nodes) / std::log(std::max(degree - 1, 1.5));
  const double by_length = grid ? 2.0 / 3 * std::sqrt(nodes) / random.wire_length : 0;
  return two_way(nodes, std::floor(nodes * degree / 2), nodes, 1 + std::max(by_degree, by_length));
}

/// The mean distance from a few routers to all others, plus one.
double sampled_hops(const graph::Topology& topology) {
  constexpr unsigned most_samples = 8;
  double sum = 0, pairs = 0;
  const unsigned step = std::max(topology.routers() / most_samples, 1U);
  for (graph::RouterId from = 0; from < topology.routers(); from += step) {
    std::vector<std::uint32_t> hops(topology.routers(), graph::none);
    std::deque<graph::RouterId> front{from};
    hops[from] = 0;
    for (; !front.empty(); front.pop_front()) {
      sum += hops[front.front()];
      ++pairs;
      for (unsigned port = 0; port < topology.ports(front.front()); ++port) {
        const graph::Topology::Far& far = topology.far(front.front(), port);
        if (far.kind != graph::Topology::Far::Kind::router || !far.sends ||
            hops[far.at.router] != graph::none)
          continue;
        hops[far.at.router] = hops[front.front()] + 1;
        front.push_back(far.at.router);
      }
    }
  }
  return 1 + sum / std::max(pairs, 1.0);
}

NetworkSize size_of(const graph::Topology& topology) {
  NetworkSize size;
  size.routers = topology.routers();
  size.nodes = topology.nodes();
  for (const graph::RouterLink& link : topology.links()) {
    size.ports += 2;
    size.inputs += link.one_way ? 1 : 2;
    size.router_channels += link.one_way ? 1 : 2;
  }
  size.hops = sampled_hops(topology);
  attach_nodes(size);
  for (NodeId node = 0; node < topology.nodes(); ++node)
    if (!(topology.node(node).inject == topology.node(node).eject)) ++size.ports;
  if (const auto* plus = topology.shape_as<graph::DragonflyPlusShape>()) size.candidates = plus->spines;
  return size;
}

/// The tables that a routing makes of the whole network.
double table_bytes(const std::string& routing, const NetworkSize& size) {
  const double pairs = size.routers * size.routers;
  if (routing == "up_down") return 5 * pairs;
  if (routing == "source_table" || routing == "compact") return 4 * pairs;
  if (routing == "detour_nf") return 6 * pairs;
  // Candidates, timers and recovery of each router, too.
  if (routing == "detour_ud") return 0.42 * pairs + 3300 * size.routers;
  // Levels or stages: as many as half of the longest path, or all of it.
  if (routing == "least_common_ancestor" || routing == "destination_digits")
    return 8 * size.nodes * size.hops;
  return 0;
}

double arbiter_bytes(const router::VcRouterConfig& router, double vcs, const NetworkSize& size) {
  const double lines = vcs * size.inputs / size.routers;
  const double of_pair = router.va_allocators.traits(router.va_allocator).bytes_of_pair +
                         router.sa_allocators.traits(router.sa_allocator).bytes_of_pair;
  return of_pair * lines * lines * size.routers;
}

/// Hops between all pairs of routers, which runs keep of small networks.
double distance_bytes(const NetworkSize& size) {
  constexpr double most_routers = 2048;
  return size.routers <= most_routers ? 2 * size.routers * size.routers : 0;
}

}  // namespace

NetworkSize network_size(const TopologyConfig& config) {
  const std::string& kind = config.kind;
  if (kind == "mesh" || kind == "torus" || kind == "cube")
    return cube_size(config.of<graph::CubeConfig>().shape(kind));
  if (kind == "fat_tree") return fat_tree_size(config.of<graph::FatTreeConfig>());
  if (kind == "fly") return fly_size(config.of<graph::FlyConfig>());
  if (kind == "random_grid" || kind == "random_regular")
    return random_size(config.of<graph::RandomGraphConfig>(), kind == "random_grid");
  return size_of(make_topology(config, 1));
}

namespace {

/// Routers, links and nodes as modules.
double module_bytes(const NetworkConfig& config, const NetworkSize& size) {
  constexpr double of_router = 830, of_port = 460, of_vc = 90, of_node = 2430, of_channel = 310, of_slot = 12;
  const double vcs = config.network.vcs, depth = config.network.buffer_flits;
  return of_router * size.routers + of_port * size.ports + of_vc * vcs * size.inputs + of_node * size.nodes +
         (of_channel + of_slot * vcs * depth) * size.channels +
         arbiter_bytes(config.network.router, vcs, size);
}

/// Bytes of dense::MaskRouter: its own, those of a port and of an input and output virtual channel.
struct RouterBytes {
  double most_vcs;  ///< of a router
  double router, port, vc;
};

/// Those of the narrowest routers with this number of virtual channels (dense::slim_routers() and so on).
const RouterBytes& router_bytes(double vcs) {
  static constexpr RouterBytes slim{31, -46, 256, 57}, narrow{63, 50, 268, 73}, wide{127, 130, 300, 81},
      vast{255, 270, 332, 97};
  return vcs <= slim.most_vcs ? slim : vcs <= narrow.most_vcs ? narrow : vcs <= wide.most_vcs ? wide : vast;
}

/// Those of dense::DenseNetwork.
double dense_bytes(const NetworkConfig& config, const NetworkSize& size) {
  constexpr double of_node_vc = 82, of_node = 802, of_candidate = 6;
  constexpr double predicting_router = 550, predicting_port = 110;
  constexpr unsigned bits_of_word = 64;
  const unsigned vcs = config.network.vcs;
  double of_router = vcs * size.inputs / size.routers;
  const bool one_word = of_router < bits_of_word;
  // The virtual channels of a port are in one word of a mask: the last ones of a word may be left out.
  if (!one_word && vcs <= bits_of_word)
    of_router *= bits_of_word / static_cast<double>(bits_of_word / vcs * vcs);
  const RouterBytes& router = router_bytes(of_router);
  double bytes = router.router * size.routers + router.port * size.ports +
                 (router.vc + of_candidate * size.candidates) * of_router * size.routers +
                 (of_node + of_node_vc * config.network.vcs_of_nodes()) * size.nodes;
  if (config.network.router.prediction.on())
    bytes += predicting_router * size.routers + predicting_port * size.ports;
  return bytes;
}

}  // namespace

double network_bytes(const NetworkConfig& config, const NetworkSize& size, bool dense) {
  constexpr double program = 17e6;
  return program + (dense ? dense_bytes(config, size) : module_bytes(config, size)) +
         table_bytes(config.routing.kind, size) + distance_bytes(size);
}

double retry_node_bytes() {
  return 2400;
}

double flit_hop_ns(double machine_bytes) {
  constexpr double in_cache = 120, cache_bytes = 15e6, of_doubling = 100;
  return in_cache + of_doubling * std::log2(std::max(machine_bytes / cache_bytes, 1.0));
}

double flit_hops_per_cycle(const NetworkConfig& config, const NetworkSize& size,
                           double load_flits_per_node_cycle) {
  const double flit_cycles = static_cast<double>(config.network.flit_cycles);
  const double offered = load_flits_per_node_cycle * size.nodes * size.hops;
  return std::min(offered, (size.router_channels + size.nodes) / flit_cycles);
}

}  // namespace tsuji::network
