#include "tsuji/routing/up_down.h"

#include <algorithm>
#include <map>

#include "tsuji/core/error.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {

using graph::Topology;
using graph::unreachable;

namespace {

std::vector<std::uint16_t> levels_from(const Topology& topology, RouterId root) {
  require_table_size("up_down", topology);
  for (const graph::RouterLink& link : topology.links())
    if (link.one_way) refuse_topology("up_down", topology, "a topology without one-way links");
  if (root >= topology.routers())
    throw ConfigError("routing.root", std::to_string(root), "no such router",
                      "0.." + std::to_string(topology.routers() - 1));
  std::vector<std::uint16_t> levels = graph::hops_to(topology, root);
  const auto cut_off = std::find(levels.begin(), levels.end(), unreachable);
  if (cut_off != levels.end())
    throw ConfigError("routing.root", std::to_string(root),
                      "router " + std::to_string(cut_off - levels.begin()) + " is not connected to it",
                      "a connected topology");
  return levels;
}

}  // namespace

/// Sets of ports, each stored once: a network has few different ones.
class UpDown::PortSets {
 public:
  explicit PortSets(UpDown& routing) : routing_(routing) { routing_.first_of_set_.push_back(0); }
  std::uint32_t find(const std::vector<std::uint16_t>& ports) {
    const auto [entry, is_new] = known_.emplace(ports, static_cast<std::uint32_t>(known_.size()));
    if (is_new) {
      routing_.set_ports_.insert(routing_.set_ports_.end(), ports.begin(), ports.end());
      routing_.first_of_set_.push_back(static_cast<std::uint32_t>(routing_.set_ports_.size()));
      routing_.max_candidates_ = std::max(routing_.max_candidates_, static_cast<unsigned>(ports.size()));
    }
    return entry->second;
  }

 private:
  UpDown& routing_;
  std::map<std::vector<std::uint16_t>, std::uint32_t> known_;
};

UpDown::UpDown(const Topology& topology, unsigned vcs, const UpDownConfig& config)
    : all_(require_vcs("up_down", vcs, 1)),
      routers_(topology.routers()),
      order_(levels_from(topology, config.root)) {
  for (NodeId node = 0; node < topology.nodes(); ++node) node_.push_back(topology.node(node).eject);
  for (RouterId router = 0; router < routers_; ++router) {
    first_port_.push_back(static_cast<std::uint32_t>(came_down_.size()));
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      const Topology::Far& far = topology.far(router, port);
      came_down_.push_back(far.kind == Topology::Far::Kind::router &&
                           !order_.leads_up(far.at.router, router));
    }
  }
  set_of_.resize(std::size_t{2} * routers_ * routers_);
  PortSets sets(*this);
  for (RouterId to = 0; to < routers_; ++to) fill(topology, to, config.all_paths, sets);
  require_candidates("up_down", max_candidates_);
}

std::vector<std::uint16_t> UpDown::legal_hops(const Topology& topology, RouterId to) const {
  std::vector<std::uint16_t> hops(std::size_t{2} * routers_, unreachable);
  std::vector<std::uint32_t> queue{2 * to, 2 * to + 1};
  hops[2 * to] = hops[2 * to + 1] = 0;
  const auto reach = [&](std::uint32_t state, unsigned distance) {
    if (hops[state] != unreachable) return;
    hops[state] = static_cast<std::uint16_t>(distance);
    queue.push_back(state);
  };
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const RouterId here = queue[i] / 2;
    const bool down_phase = queue[i] % 2 != 0;
    const unsigned distance = hops[queue[i]] + 1U;
    for (unsigned port = 0; port < topology.ports(here); ++port) {
      const Topology::Far& far = topology.far(here, port);
      if (far.kind != Topology::Far::Kind::router) continue;
      // A link down leads into the down phase from either one, a link up only from up to up.
      const bool down = !order_.leads_up(far.at.router, here);
      if (down != down_phase) continue;
      reach(2 * far.at.router, distance);
      if (down) reach(2 * far.at.router + 1, distance);
    }
  }
  return hops;
}

void UpDown::fill(const Topology& topology, RouterId to, bool all_paths, PortSets& sets) {
  const std::vector<std::uint16_t> hops = legal_hops(topology, to);
  std::vector<std::uint16_t> ports;
  for (std::uint32_t state = 0; state < 2 * routers_; ++state) {
    const RouterId here = state / 2;
    ports.clear();
    for (unsigned port = 0; port < topology.ports(here) && hops[state] != unreachable && here != to; ++port) {
      const Topology::Far& far = topology.far(here, port);
      if (far.kind != Topology::Far::Kind::router) continue;
      const bool down = !order_.leads_up(here, far.at.router);
      if (state % 2 != 0 && !down) continue;
      if (hops[2 * far.at.router + (down ? 1 : 0)] + 1 == hops[state])
        ports.push_back(static_cast<std::uint16_t>(port));
    }
    if (!all_paths && ports.size() > 1) ports = {ports[(here + to) % ports.size()]};
    set_of_[std::size_t{state} * routers_ + to] = sets.find(ports);
  }
}

void UpDown::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = node_[query.destination];
  if (to.router == query.router) {
    candidates.add(to.port, all_);
    return;
  }
  const std::size_t state = 2 * query.router + came_down_[first_port_[query.router] + query.in_port];
  const std::uint32_t set = set_of_[state * routers_ + to.router];
  for (std::uint32_t i = first_of_set_[set]; i < first_of_set_[set + 1]; ++i)
    candidates.add(set_ports_[i], all_);
}

void UpDownConfig::add_keys(config::KeyTable& keys) {
  keys.add("routing.root", root, {0, 65'535}, "", "up_down: router at the root of the tree");
  keys.add_choice("routing.paths", all_paths, {{"all", true}, {"one", false}},
                  "up_down: all shortest legal routes are candidates, or one");
}

std::unique_ptr<const Routing> UpDownConfig::make(const RoutingParts& parts) const {
  return std::make_unique<UpDown>(parts.topology, parts.vcs, *this);
}

void add_up_down(RoutingKinds& kinds) {
  kinds.add<UpDownConfig>("up_down", {{"updown"}});
}

}  // namespace tsuji::routing
