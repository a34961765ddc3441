// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/rank_cut.h"

#include <algorithm>

#include "tsuji/graph/neighbourhoods.h"

namespace tsuji::network::dense {
namespace {

using graph::RouterId;
using graph::Topology;

/// Calls visit(router at the other end, latency) for each link of a router; a link to itself is none.
template <class Visit>
void visit_links(const Topology& topology, RouterId router, const Visit& visit) {
  for (unsigned port = 0; port < topology.ports(router); ++port) {
    const Topology::Far& far = topology.far(router, port);
    if (far.kind == Topology::Far::Kind::router && far.at.router != router)
      visit(far.at.router, topology.links()[far.link].latency_cycles);
  }
}

mpi::CutGraph graph_of(const Topology& topology) {
  Cycle longest = 1;
  for (const graph::RouterLink& link : topology.links()) longest = std::max(longest, link.latency_cycles);
  mpi::CutGraph graph;
  std::vector<std::uint32_t> place(topology.routers(),
                                   ~std::uint32_t{0});  // edge to it, of the present router
  for (RouterId router = 0; router < topology.routers(); ++router) {
    const auto begin = static_cast<std::uint32_t>(graph.neighbours.size());
    graph.first.push_back(begin);
    graph.loads.push_back(topology.ports(router));
    visit_links(topology, router, [&](RouterId far, Cycle latency) {
      const auto weight = static_cast<std::uint32_t>(longest / std::max<Cycle>(latency, 1));
      if (place[far] == ~std::uint32_t{0} || place[far] < begin) {
        place[far] = static_cast<std::uint32_t>(graph.neighbours.size());
        graph.neighbours.push_back(far);
        graph.weights.push_back(0);
      }
      graph.weights[place[far]] += weight;
    });
  }
  graph.first.push_back(static_cast<std::uint32_t>(graph.neighbours.size()));
  return graph;
}

}  // namespace

std::vector<std::uint16_t> cut_for_ranks(const Topology& topology, mpi::Ranks& ranks, unsigned group) {
  std::vector<std::uint16_t> rank_of = ranks.cut(ranks.own() == 0 ? graph_of(topology) : mpi::CutGraph{});
  if (!rank_of.empty()) return rank_of;
  rank_of.resize(topology.routers());
  const std::vector<RouterId> order = graph::neighbourhoods(topology, group);
  const auto first = [&](std::size_t rank) { return order.size() * rank / ranks.count(); };
  for (unsigned rank = 0; rank < ranks.count(); ++rank)
    for (std::size_t place = first(rank); place < first(rank + 1); ++place)
      rank_of[order[place]] = static_cast<std::uint16_t>(rank);
  return rank_of;
}

}  // namespace tsuji::network::dense
