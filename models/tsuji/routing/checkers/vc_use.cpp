// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/vc_use.h"

#include <array>
#include <ostream>

namespace tsuji::routing {
namespace {

using graph::none;

class UseCount {
 public:
  UseCount(const graph::Topology& topology, const graph::LivingNetwork& network, const Routing& routing,
           PacketClass packet_class, unsigned vcs)
      : topology_(topology), network_(network), routing_(routing), uses_(vcs) {
    query_.packet_class = packet_class;
    for (unsigned vc = 0; vc < vcs; ++vc) {
      uses_[vc].packet_class = packet_class;
      uses_[vc].vc = vc;
    }
  }

  std::vector<VcUse> run() {
    graph::BreadthFirst search;
    for (NodeId to = 0; to < topology_.nodes(); ++to) {
      const RouterId last = topology_.node(to).eject.router;
      if (!network_.lives(last)) continue;
      const std::vector<std::uint16_t>& hops = network_.hops_to(last, search);
      for (NodeId from = 0; from < topology_.nodes(); ++from) {
        const graph::PortRef inject = topology_.node(from).inject;
        if (!network_.lives(inject.router) || inject.router == last) continue;
        count(from, inject, to, hops);
      }
    }
    return std::move(uses_);
  }

 private:
  void count(NodeId from, const graph::PortRef& inject, NodeId to, const std::vector<std::uint16_t>& hops) {
    query_.router = inject.router;
    query_.in_port = inject.port;
    query_.source = from;
    query_.destination = to;
    query_.decision = 0;
    candidates_.clear();
    for (const RouteDecisions::Possible& possible : decisions_of(routing_, query_)) {
      RouteQuery decided = query_;
      decided.decision = possible.decision;
      RouteSet candidates;
      routing_.route(decided, candidates);
      candidates_.insert(candidates_.end(), candidates.begin(), candidates.end());
    }
    for (VcUse& use : uses_) count(use, hops);
  }

  void count(VcUse& use, const std::vector<std::uint16_t>& hops) {
    offered_.assign(network_.ports(), false);
    unsigned outputs = 0;
    for (const RouteCandidate& candidate : candidates_) {
      if ((candidate.vcs >> use.vc & 1U) == 0 || candidate.port >= network_.ports()) continue;
      outputs += offered_[candidate.port] ? 0 : 1;
      offered_[candidate.port] = true;
    }
    if (outputs == 0) return;
    ++use.pairs;
    use.one_output += outputs == 1 ? 1 : 0;
    use.all_shortest += has_all_shortest(hops) ? 1 : 0;
  }

  bool has_all_shortest(const std::vector<std::uint16_t>& hops) const {
    for (unsigned port = 0; port < network_.ports(); ++port) {
      const RouterId next = network_.neighbour(query_.router, port);
      if (next != none && hops[next] < hops[query_.router] && !offered_[port]) return false;
    }
    return true;
  }

  const graph::Topology& topology_;
  const graph::LivingNetwork& network_;
  const Routing& routing_;
  RouteQuery query_;
  std::vector<RouteCandidate> candidates_;  ///< for all decisions about a packet
  std::vector<bool> offered_;               ///< [port]
  std::vector<VcUse> uses_;
};

}  // namespace

std::vector<VcUse> vc_use(const graph::Topology& topology, const graph::LivingNetwork& network,
                          const Routing& routing, unsigned vcs) {
  std::vector<VcUse> uses = UseCount(topology, network, routing, PacketClass::normal, vcs).run();
  if (routing.recovery() == nullptr) return uses;
  for (const VcUse& use : UseCount(topology, network, routing, PacketClass::recovery, vcs).run())
    uses.push_back(use);
  return uses;
}

void print_vc_use(const std::vector<VcUse>& uses, std::ostream& out) {
  out << "packets,vc,pairs,one_output,all_shortest\n";
  for (const VcUse& use : uses)
    out << (use.packet_class == PacketClass::recovery ? "recovery" : "normal") << ',' << use.vc << ','
        << use.pairs << ',' << use.one_output << ',' << use.all_shortest << '\n';
}

}  // namespace tsuji::routing
