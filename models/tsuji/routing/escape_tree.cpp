// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/escape_tree.h"

#include <algorithm>

#include "tsuji/graph/paths.h"

namespace tsuji::routing {
namespace {

/// Router in the middle of a shortest path between two distant routers.
RouterId middle(const graph::LivingNetwork& network) {
  graph::BreadthFirst search;
  RouterId end = 0;
  while (!network.lives(end)) ++end;
  for (const unsigned sweep : {1, 2}) {
    (void)sweep;
    network.hops_to(end, search);
    end = search.order().back();
  }
  // `search` has the hops to the other end of the path.
  const std::vector<std::uint16_t>& hops = search.hops();
  RouterId at = end;
  while (2U * hops[at] > hops[end]) {
    RouterId next = graph::none;
    network.visit_neighbours(at, [&](RouterId neighbour) {
      if (hops[neighbour] < hops[at]) next = std::min(next, neighbour);
    });
    at = next;
  }
  return at;
}

}  // namespace

EscapeTree::EscapeTree(const graph::Topology& topology, const graph::LivingNetwork& network)
    : root_(middle(network)), number_(topology.routers(), graph::none), up_(topology.routers(), 0) {
  std::vector<std::vector<Link>> links(topology.routers());
  std::vector<bool> seen(topology.routers(), false);
  std::vector<RouterId> order{root_};
  seen[root_] = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const RouterId here = order[i];
    for (unsigned port = 0; port < network.ports(); ++port) {
      if (!network.lives_at(here, port) || seen[network.neighbour(here, port)]) continue;
      const graph::PortRef child = topology.far(here, port).at;
      seen[child.router] = true;
      order.push_back(child.router);
      links[here].push_back({child.router, static_cast<std::uint16_t>(port)});
      up_[child.router] = static_cast<std::uint16_t>(child.port);
    }
  }
  number(links);
}

void EscapeTree::number(const std::vector<std::vector<Link>>& links) {
  std::vector<RouterId> open{root_}, order;
  while (!open.empty()) {
    const RouterId here = open.back();
    open.pop_back();
    number_[here] = static_cast<std::uint32_t>(order.size());
    order.push_back(here);
    for (const Link& link : links[here]) open.push_back(link.child);
  }
  std::vector<std::uint32_t> last(links.size(), 0);
  for (std::size_t i = order.size(); i-- > 0;) {
    last[order[i]] = number_[order[i]];
    for (const Link& link : links[order[i]]) last[order[i]] = std::max(last[order[i]], last[link.child]);
  }
  for (const std::vector<Link>& list : links) {
    first_.push_back(static_cast<std::uint32_t>(children_.size()));
    for (const Link& link : list) children_.push_back({number_[link.child], last[link.child], link.port});
  }
  first_.push_back(static_cast<std::uint32_t>(children_.size()));
}

unsigned EscapeTree::most_intervals() const {
  unsigned most = 0;
  for (std::size_t i = 0; i + 1 < first_.size(); ++i) most = std::max(most, first_[i + 1] - first_[i]);
  return most;
}

}  // namespace tsuji::routing
