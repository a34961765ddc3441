// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/class_routing.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::routing {
namespace {

/// The buffers of a set, with the set's numbers of virtual channels.
class BuffersOfSet final : public OutputBuffers {
 public:
  BuffersOfSet(const OutputBuffers& all, unsigned first_vc) : all_(all), first_vc_(first_vc) {}
  unsigned credits(unsigned port, VcMask vcs) const override { return all_.credits(port, within(vcs)); }
  unsigned capacity(unsigned port, VcMask vcs) const override { return all_.capacity(port, within(vcs)); }
  unsigned returning(unsigned port, VcMask vcs) const override { return all_.returning(port, within(vcs)); }
  unsigned waiting(unsigned port, VcMask vcs) const override { return all_.waiting(port, within(vcs)); }

 private:
  VcMask within(VcMask vcs) const { return static_cast<VcMask>(vcs << first_vc_); }
  const OutputBuffers& all_;
  const unsigned first_vc_;
};

}  // namespace

ClassRouting::ClassRouting(const graph::Topology& topology, std::vector<Set> sets, const std::string& kind)
    : sets_(std::move(sets)) {
  const auto refuse = [&kind](const char* problem, const char* accepted) {
    throw ConfigError("routing.kind", kind, problem, accepted);
  };
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const Set& set = sets_[s];
    vcs_ = std::max(vcs_, set.first_vc + set.vcs);
    for (unsigned vc = set.first_vc; vc < set.first_vc + set.vcs; ++vc)
      set_of_vc_[vc] = static_cast<std::uint8_t>(s);
    if (set.routing->recovery() != nullptr || &set.routing->of_nodes() != set.routing.get())
      refuse("its recovery or control packets leave the virtual channels of their class (classes.list)",
             "a routing without recovery, or no classes.list");
    if (outcomes_of(*set.routing) != outcomes_of(*sets_.front().routing))
      refuse("its random choices differ between the sets of virtual channels of classes.list",
             "sets of equal size in classes.list");
  }
  for (RouterId router = 0; router < topology.routers(); ++router) {
    std::uint64_t ports = 0;
    for (unsigned port = 0; port < std::min(topology.ports(router), 64U); ++port)
      if (topology.far(router, port).kind == graph::Topology::Far::Kind::node)
        ports |= std::uint64_t{1} << port;
    node_ports_.push_back(ports);
  }
}

void ClassRouting::route(const RouteQuery& query, RouteSet& candidates) const {
  const Set& set = set_of(query);
  RouteSet own;
  set.routing->route(within(set, query), own);
  candidates.clear();
  for (const RouteCandidate& one : own) candidates.add(one.port, vcs_at(set, query.router, one), one.rank);
}

VcMask ClassRouting::injection_vcs(End source, End destination) const {
  unsigned vcs = 0;
  for (const Set& set : sets_)
    vcs |= static_cast<unsigned>(set.routing->injection_vcs(source, destination)) << set.first_vc;
  return static_cast<VcMask>(vcs);
}

unsigned ClassRouting::max_candidates() const {
  unsigned most = 0;
  for (const Set& set : sets_) most = std::max(most, set.routing->max_candidates());
  return most;
}

RoutingPromises ClassRouting::promises() const {
  RoutingPromises all = sets_.front().routing->promises();
  for (const Set& set : sets_) {
    const RoutingPromises own = set.routing->promises();
    all.place_decides &= own.place_decides;
    all.always_leads_on &= own.always_leads_on;
    all.turns_back |= own.turns_back;
    all.needs_atomic_vcs |= own.needs_atomic_vcs;
  }
  return all;
}

bool ClassRouting::port_shares(const RouteQuery& query, PortShares& shares) const {
  const Set& set = set_of(query);
  PortShares own;
  if (!set.routing->port_shares(within(set, query), own)) return false;
  shares.clear();
  for (const PortShares::Entry& one : own)
    shares.add(one.candidate.port, vcs_at(set, query.router, one.candidate), one.share);
  return true;
}

std::uint64_t ClassRouting::random_outcomes() const {
  return outcomes_of(*sets_.front().routing);
}

std::uint64_t ClassRouting::random_outcome(const RouteQuery& query) const {
  return sets_.front().routing->random_choices()->random_outcome(query);
}

double ClassRouting::outcome_share(std::uint64_t outcome) const {
  return sets_.front().routing->random_choices()->outcome_share(outcome);
}

Decision ClassRouting::decide(const RouteQuery& query, const OutputBuffers& outputs) const {
  const Set& set = set_of(query);
  return set.routing->decisions()->decide(within(set, query), BuffersOfSet(outputs, set.first_vc));
}

std::vector<RouteDecisions::Possible> ClassRouting::possible(const RouteQuery& query) const {
  const Set& set = set_of(query);
  return set.routing->decisions()->possible(within(set, query));
}

}  // namespace tsuji::routing
