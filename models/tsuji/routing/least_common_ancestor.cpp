// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/least_common_ancestor.h"

#include "tsuji/graph/fat_tree.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

__extension__ using Wide = unsigned __int128;

const graph::FatTreeShape& shape_of(const graph::Topology& topology) {
  const auto* shape = topology.shape_as<graph::FatTreeShape>();
  if (shape == nullptr) refuse_topology("least_common_ancestor", topology, "a fat tree");
  return *shape;
}

}  // namespace

LeastCommonAncestor::LeastCommonAncestor(const graph::Topology& topology, unsigned vcs, UpPort up_port)
    : up_port_(up_port),
      all_(require_vcs("least_common_ancestor", vcs, 1)),
      up_links_(shape_of(topology).up_links),
      down_links_(shape_of(topology).down_links),
      nodes_(topology.nodes()),
      levels_(shape_of(topology).levels) {
  const graph::FatTreeShape& shape = shape_of(topology);
  require_candidates("least_common_ancestor", max_candidates());
  unsigned span = 1, width = 1;  // nodes below a down port; switches of a subtree on this level
  for (unsigned level = 0; level < shape.levels; ++level, span *= down_links_, width *= up_links_) {
    const unsigned switches = shape.first_of_level[level + 1] - shape.first_of_level[level];
    for (unsigned place = 0; place < switches; ++place) places_.push_back({level, place / width});
    for (NodeId node = 0; node < nodes_; ++node)
      below_.push_back({node / (span * down_links_), node / span % down_links_});
    if (level > 0) outcomes_ *= up_links_;
  }
  for (unsigned port = 0; port < down_links_; ++port) opposite_.push_back(down_links_ + port % up_links_);
}

void LeastCommonAncestor::route(const RouteQuery& query, RouteSet& candidates) const {
  if (query.destination.is_router()) return refuse_router_destination(query);
  candidates.clear();
  const Place here = places_[query.router];
  const Below& to = below_[here.level * nodes_ + query.destination.number()];
  if (to.subtree == here.subtree) {
    candidates.add(to.port, all_);
    return;
  }
  switch (up_port_) {
    case UpPort::adaptive:
      for (unsigned j = 0; j < up_links_; ++j) candidates.add(down_links_ + j, all_);
      return;
    case UpPort::one_to_one:
      candidates.add(opposite_[query.in_port], all_);
      return;
    case UpPort::random:
      candidates.add(down_links_ + random_up(query, here.level), all_);
      return;
  }
}

bool LeastCommonAncestor::port_shares(const RouteQuery& query, PortShares& shares) const {
  const Place here = places_[query.router];
  const bool is_below = below_[here.level * nodes_ + query.destination.node()].subtree == here.subtree;
  if (up_port_ == UpPort::random && !is_below) {
    shares.clear();
    for (unsigned j = 0; j < up_links_; ++j) shares.add(down_links_ + j, all_, 1.0 / up_links_);
    return true;
  }
  RouteSet candidates;
  route(query, candidates);
  shares.clear();
  for (const RouteCandidate& only : candidates) shares.add(only.port, all_, 1.0);
  return true;
}

unsigned LeastCommonAncestor::bits() const {
  unsigned bits = 0;
  while (1U << bits < levels_) ++bits;
  return bits;
}

/// Lowest level whose switches have both nodes below them.
std::uint32_t LeastCommonAncestor::hint(NodeId source, NodeId destination) const {
  std::uint32_t level = 0;
  while (below_[level * nodes_ + source].subtree != below_[level * nodes_ + destination].subtree) ++level;
  return level;
}

bool LeastCommonAncestor::may_confirm(RouterId, std::uint32_t in_port, std::uint32_t out_port) const {
  if (in_port >= down_links_ || out_port < down_links_) return false;
  return up_port_ == UpPort::adaptive || (up_port_ == UpPort::one_to_one && out_port == opposite_[in_port]);
}

bool LeastCommonAncestor::confirms(const RouteQuery& query, std::uint32_t) const {
  return hint(query.source.node(), query.destination.node()) > places_[query.router].level;
}

unsigned LeastCommonAncestor::random_up(const RouteQuery& query, unsigned level) const {
  // The random number is a fraction with one digit of base up_links_ per level.
  std::uint64_t fraction = query.random(0);
  for (;; --level) {
    const Wide digit = static_cast<Wide>(fraction) * up_links_;
    if (level == 0) return static_cast<unsigned>(digit >> 64);
    fraction = static_cast<std::uint64_t>(digit);
  }
}

std::uint64_t LeastCommonAncestor::random_outcome(const RouteQuery& query) const {
  return static_cast<std::uint64_t>((static_cast<Wide>(query.random(0)) * outcomes_) >> 64);
}

void LeastCommonAncestorConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice(
      "routing.up_port", up_port,
      {{"adaptive", UpPort::adaptive}, {"one_to_one", UpPort::one_to_one}, {"random", UpPort::random}},
      "least_common_ancestor: rule by which the up port is chosen");
}

std::unique_ptr<const Routing> LeastCommonAncestorConfig::make(const RoutingParts& parts) const {
  return std::make_unique<LeastCommonAncestor>(parts.topology, parts.vcs, up_port);
}

void add_least_common_ancestor(RoutingKinds& kinds) {
  kinds.add<LeastCommonAncestorConfig>("least_common_ancestor", {{"nca", "lca"}});
}

}  // namespace tsuji::routing
