// SPDX-License-Identifier: Apache-2.0
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

/// Number of destinations whose entries are computed together: their sets fit into a cache line.
constexpr RouterId block_size = 32;

}  // namespace

/// Legal steps between states, router * 2 + phase (phase 1: has gone down): a link downwards goes to the down
/// phase from either phase, a link upwards only from up to up.
class UpDown::Steps {
 public:
  struct Step {
    std::uint16_t port;
    std::uint32_t to;
  };

  Steps(const Topology& topology, const graph::UpDownOrder& order) : from_(2 * topology.routers()) {
    for (std::uint32_t state = 0; state < states(); ++state) {
      first_.push_back(static_cast<std::uint32_t>(steps_.size()));
      for (unsigned port = 0; port < topology.ports(state / 2); ++port) {
        const Topology::Far& far = topology.far(state / 2, port);
        if (far.kind != Topology::Far::Kind::router) continue;
        const bool down = !order.leads_up(state / 2, far.at.router);
        if (state % 2 != 0 && !down) continue;
        steps_.push_back({static_cast<std::uint16_t>(port), 2 * far.at.router + (down ? 1U : 0U)});
        from_[steps_.back().to].push_back(state);
      }
    }
    first_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }

  std::uint32_t states() const { return static_cast<std::uint32_t>(from_.size()); }
  const Step* begin(std::uint32_t state) const { return steps_.data() + first_[state]; }
  const Step* end(std::uint32_t state) const { return steps_.data() + first_[state + 1]; }

  /// Number of links from each state to router `to`.
  std::vector<std::uint16_t> hops(RouterId to) const {
    std::vector<std::uint16_t> hops(states(), unreachable);
    std::vector<std::uint32_t> queue{2 * to, 2 * to + 1};
    hops[2 * to] = hops[2 * to + 1] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t before : from_[queue[i]]) {
        if (hops[before] != unreachable) continue;
        hops[before] = static_cast<std::uint16_t>(hops[queue[i]] + 1);
        queue.push_back(before);
      }
    }
    return hops;
  }

 private:
  std::vector<Step> steps_;
  std::vector<std::uint32_t> first_;              ///< [state]: index into steps_
  std::vector<std::vector<std::uint32_t>> from_;  ///< [state]: states with a step to it
};

/// A router's sets of ports, each stored once, since it has few different ones.
class UpDown::PortSets {
 public:
  std::uint16_t find(const std::vector<std::uint16_t>& ports) {
    if (last_ != nullptr && last_->first == ports) return last_->second;
    last_ = &*known_.emplace(ports, static_cast<std::uint16_t>(known_.size())).first;
    if (known_.size() > most) throw_too_many();
    return last_->second;
  }
  /// The sets in the order of their numbers.
  std::vector<const std::vector<std::uint16_t>*> sets() const {
    std::vector<const std::vector<std::uint16_t>*> sets(known_.size());
    for (const auto& [ports, number] : known_) sets[number] = &ports;
    return sets;
  }

 private:
  using Known = std::map<std::vector<std::uint16_t>, std::uint16_t>;
  static constexpr std::size_t most = std::size_t{1} << 16U;
  [[noreturn]] static void throw_too_many() {
    throw ConfigError("routing.paths", "all",
                      "gives a router more than " + std::to_string(most) + " sets of ports", "one");
  }

  Known known_;
  const Known::value_type* last_ = nullptr;  ///< neighbouring destinations often have equal sets
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
  const Steps steps(topology, order_);
  std::vector<PortSets> sets(routers_);
  for (RouterId first = 0; first < routers_; first += block_size)
    fill_block(steps, first, config.all_paths, sets);
  flatten(sets);
  require_candidates("up_down", max_candidates_);
}

void UpDown::fill_block(const Steps& steps, RouterId first, bool all_paths, std::vector<PortSets>& sets) {
  const RouterId end = std::min(first + block_size, routers_);
  std::vector<std::vector<std::uint16_t>> hops;
  for (RouterId to = first; to < end; ++to) hops.push_back(steps.hops(to));
  std::vector<std::uint16_t> ports;
  for (std::uint32_t state = 0; state < steps.states(); ++state) {
    const RouterId here = state / 2;
    for (RouterId to = first; to < end; ++to) {
      const std::vector<std::uint16_t>& left = hops[to - first];
      ports.clear();
      if (here != to && left[state] != unreachable) {
        for (const Steps::Step* step = steps.begin(state); step != steps.end(state); ++step)
          if (left[step->to] + 1 == left[state]) ports.push_back(step->port);
      }
      if (!all_paths && ports.size() > 1) ports = {ports[(here + to) % ports.size()]};
      set_of_[std::size_t{state} * routers_ + to] = sets[here].find(ports);
    }
  }
}

void UpDown::flatten(const std::vector<PortSets>& sets) {
  first_of_set_.push_back(0);
  for (const PortSets& own : sets) {
    first_set_.push_back(static_cast<std::uint32_t>(first_of_set_.size() - 1));
    for (const std::vector<std::uint16_t>* ports : own.sets()) {
      set_ports_.insert(set_ports_.end(), ports->begin(), ports->end());
      first_of_set_.push_back(static_cast<std::uint32_t>(set_ports_.size()));
      max_candidates_ = std::max(max_candidates_, static_cast<unsigned>(ports->size()));
    }
  }
}

void UpDown::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = node_[query.destination.node()];
  if (to.router == query.router) {
    candidates.add(to.port, all_);
    return;
  }
  const std::size_t state = 2 * query.router + came_down_[first_port_[query.router] + query.in_port];
  const std::uint32_t set = first_set_[query.router] + set_of_[state * routers_ + to.router];
  for (std::uint32_t i = first_of_set_[set]; i < first_of_set_[set + 1]; ++i)
    candidates.add(set_ports_[i], all_);
}

void UpDownConfig::add_keys(config::KeyTable& keys) {
  keys.add("routing.root", root, {0, 65'535}, "", "up_down: root router of the spanning tree");
  keys.add_choice("routing.paths", all_paths, {{"all", true}, {"one", false}},
                  "up_down: candidate routes of a packet: all shortest legal paths, or one of them");
}

std::unique_ptr<const Routing> UpDownConfig::make(const RoutingParts& parts) const {
  return std::make_unique<UpDown>(parts.topology, parts.vcs, *this);
}

void add_up_down(RoutingKinds& kinds) {
  kinds.add<UpDownConfig>("up_down", {{"updown"}});
}

}  // namespace tsuji::routing
