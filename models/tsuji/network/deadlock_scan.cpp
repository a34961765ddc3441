// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/deadlock_scan.h"

#include <algorithm>
#include <set>

#include "tsuji/core/strong_components.h"

namespace tsuji::network {

using graph::RouterId;
using graph::Topology;
using router::VcState;

DeadlockScan::DeadlockScan(const VcNetwork& network, const PacketPool& pool)
    : network_(network), pool_(pool) {
  number_places();
  find_holders();
  for (Vertex vertex = 1; vertex < places_.size(); ++vertex) add_waits(places_[vertex]);
  spread();
  collect_knots();
}

void DeadlockScan::number_places() {
  places_.emplace_back();  // goes_on
  for (RouterId id = 0; id < network_.routers(); ++id) {
    const router::FlitRouter& router = network_.router(id);
    first_port_.push_back(first_.size());
    for (unsigned port = 0; port < router.ports(); ++port) {
      first_.push_back(static_cast<Vertex>(places_.size()));
      for (unsigned vc = 0; vc < router.vcs(port); ++vc) places_.push_back({{id, port}, vc});
    }
  }
  waits_.resize(places_.size());
  waiters_.resize(places_.size());
  stuck_.resize(places_.size());
  knot_of_.resize(places_.size());
}

void DeadlockScan::find_holders() {
  holders_.resize(first_.size());
  for (Vertex vertex = 1; vertex < places_.size(); ++vertex) {
    const VcNetwork::InputPlace& place = places_[vertex];
    const router::VcView view = network_.router(place.port.router).view(place.port.port, place.vc);
    if (view.state != VcState::active) continue;
    std::vector<Vertex>& holders = holders_[first_port_[place.port.router] + view.out_port];
    if (holders.size() <= view.out_vc) holders.resize(view.out_vc + 1, goes_on);
    holders[view.out_vc] = vertex;
  }
}

void DeadlockScan::add_waits(const VcNetwork::InputPlace& place) {
  const router::FlitRouter& router = network_.router(place.port.router);
  const router::VcView view = router.view(place.port.port, place.vc);
  const Vertex vertex = number(place.port.router, place.port.port, place.vc);
  if (view.state == VcState::waiting) {
    for (const routing::RouteCandidate& candidate : router.candidates(place.port.port, place.vc))
      add_candidate(vertex, place, view, candidate);
  } else if (view.state == VcState::active && !view.has_flit) {
    wait_for_rest(vertex, place);
  } else if (view.state == VcState::active && !router.output(view.out_port).to_node &&
             router.room(view.out_port, view.out_vc) == 0) {
    wait_for_buffer(vertex, place.port.router, view.out_port, view.out_vc);
  } else {
    waits_[vertex].push_back(goes_on);
  }
}

void DeadlockScan::add_candidate(Vertex from, const VcNetwork::InputPlace& place, const router::VcView& view,
                                 const routing::RouteCandidate& candidate) {
  const router::VcRouterConfig& config = network_.config().router;
  const router::FlitRouter& router = network_.router(place.port.router);
  const router::OutputState port = router.output(candidate.port);
  const bool back = candidate.port == place.port.port;
  if (port.vcs == 0 || (back && !(port.to_node ? config.uturn_node : config.uturn_network))) return;
  if (port.to_node) return waits_[from].push_back(goes_on);
  if (port.down) return;
  const std::vector<Vertex>& holders = holders_[first_port_[place.port.router] + candidate.port];
  for (unsigned vc = 0; vc < port.vcs; ++vc) {
    if ((candidate.vcs >> vc & 1U) == 0) continue;
    const Vertex holder = vc < holders.size() ? holders[vc] : goes_on;
    if (holder == goes_on && !can_be_taken(router.room(candidate.port, vc), view.packet)) {
      wait_for_buffer(from, place.port.router, candidate.port, vc);
    } else {
      waits_[from].push_back(holder);
    }
  }
}

/// Returns true if a packet can take the virtual channel, now or after the credits in flight have arrived.
bool DeadlockScan::can_be_taken(unsigned room, PacketIndex packet) const {
  const router::VcRouterConfig& config = network_.config().router;
  if (config.atomic_vcs) return room == network_.config().buffer_flits;
  return config.switching == router::Switching::wormhole || room >= pool_.at(packet).flits;
}

void DeadlockScan::wait_for_buffer(Vertex from, RouterId router, unsigned port, unsigned vc) {
  const Topology::Far& far = network_.far(router, port);
  waits_[from].push_back(far.kind == Topology::Far::Kind::router ? number(far.at.router, far.at.port, vc)
                                                                 : goes_on);
}

/// The packet's other flits are in the previous router or on the link.
void DeadlockScan::wait_for_rest(Vertex from, const VcNetwork::InputPlace& place) {
  const Topology::Far& far = network_.far(place.port.router, place.port.port);
  Vertex before = goes_on;
  if (far.kind == Topology::Far::Kind::router) {
    const std::vector<Vertex>& holders = holders_[first_port_[far.at.router] + far.at.port];
    if (place.vc < holders.size()) before = holders[place.vc];
  }
  waits_[from].push_back(before);
}

/// A packet is stuck unless a path in the wait-for graph reaches a packet that can advance.
void DeadlockScan::spread() {
  for (Vertex vertex = 1; vertex < places_.size(); ++vertex) {
    stuck_[vertex] = 1;
    for (const Vertex target : waits_[vertex]) waiters_[target].push_back(vertex);
  }
  std::vector<Vertex> open = {goes_on};
  while (!open.empty()) {
    const Vertex vertex = open.back();
    open.pop_back();
    for (const Vertex waiter : waiters_[vertex]) {
      if (stuck_[waiter] == 0) continue;
      stuck_[waiter] = 0;
      open.push_back(waiter);
    }
  }
}

void DeadlockScan::collect_knots() {
  const auto visit = [this](Vertex vertex, const VisitNext& next) {
    for (const Vertex target : waits_[vertex]) next(target);
  };
  for (const std::vector<Vertex>& members : find_knots(places_.size(), visit)) {
    Knot knot;
    std::set<PacketIndex> packets;
    for (const Vertex vertex : members) {
      const VcNetwork::InputPlace& place = places_[vertex];
      const router::VcView view = network_.router(place.port.router).view(place.port.port, place.vc);
      knot.places.push_back(place);
      knot.since = std::max(knot.since, view.blocked_since);
      packets.insert(view.packet);
      knot_of_[vertex] = static_cast<unsigned>(knots_.size());
    }
    knot.packets = static_cast<unsigned>(packets.size());
    knots_.push_back(std::move(knot));
  }
}

std::size_t DeadlockScan::stuck() const {
  return static_cast<std::size_t>(std::count(stuck_.begin(), stuck_.end(), std::uint8_t{1}));
}

std::string DeadlockScan::text(unsigned most) const {
  std::string text;
  for (const Knot& knot : knots_) {
    if (most-- == 0) return text + "...\n";
    text += "deadlock: " + std::to_string(knot.packets) + " packets wait only for each other, since cycle " +
            std::to_string(knot.since) + "\n";
  }
  return knots_.empty() ? "no deadlock: no packet waits only for packets that wait for each other\n" : text;
}

}  // namespace tsuji::network
