// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <sstream>
#include <vector>

#include "tsuji/core/cycle_search.h"
#include "tsuji/network/deadlock_scan.h"
#include "tsuji/network/network_supervisor.h"

namespace tsuji::network {
namespace {

using router::VcState;

struct Place {
  graph::RouterId router = 0;
  unsigned port = 0, vc = 0;
  bool operator<(const Place& other) const {
    return std::tie(router, port, vc) < std::tie(other.router, other.port, other.vc);
  }
};

/// The graph of input virtual channels that hold a flit and wait for others.
class WaitGraph {
 public:
  WaitGraph(const VcNetwork& network, const PacketPool& pool, Cycle now)
      : network_(network), pool_(pool), now_(now) {
    for (graph::RouterId id = 0; id < network.routers(); ++id) add(id);
  }

  std::string text(unsigned most_lines) const {
    std::ostringstream out;
    unsigned lines = 0;
    const std::vector<Place> cycle = find_cycle();
    if (!cycle.empty()) {
      out << "they wait for each other in a cycle:\n";
      for (const Place& place : cycle) out << "  " << line(place) << "\n";
    }
    out << waits_.size() << " virtual channels hold flits that cannot move:\n";
    for (const auto& [place, targets] : waits_) {
      if (++lines > most_lines) {
        out << "  ...\n";
        break;
      }
      out << "  " << line(place) << "\n";
    }
    return out.str();
  }

 private:
  void add(graph::RouterId id) {
    const router::FlitRouter& router = network_.router(id);
    for (unsigned port = 0; port < router.ports(); ++port) {
      for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
        const router::VcView view = router.view(port, vc);
        if (view.has_flit) waits_[{id, port, vc}] = targets(router, {id, port, vc}, view);
      }
    }
  }

  std::vector<Place> targets(const router::FlitRouter& router, const Place& place,
                             const router::VcView& view) const {
    std::vector<Place> found;
    if (view.state == VcState::active) {
      const graph::Topology::Far& far = network_.far(place.router, view.out_port);
      if (far.kind == graph::Topology::Far::Kind::router)
        found.push_back({far.at.router, far.at.port, view.out_vc});
    } else if (view.state == VcState::waiting) {
      for (const routing::RouteCandidate& candidate : router.candidates(place.port, place.vc)) {
        add_holders(router, place.router, candidate, found);
      }
    }
    return found;
  }

  static bool link_is_down(const router::FlitRouter& router, unsigned port) {
    return router.output(port).down;
  }

  /// Reports each virtual channel of a candidate: the packet that holds it or, for a free channel, the
  /// packets in the downstream buffer, which has no room for a whole packet or is not empty.
  void add_holders(const router::FlitRouter& router, graph::RouterId id,
                   const routing::RouteCandidate& candidate, std::vector<Place>& found) const {
    unsigned held = 0;
    for (unsigned port = 0; port < router.ports(); ++port) {
      for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
        const router::VcView view = router.view(port, vc);
        if (view.state != VcState::active || view.out_port != candidate.port ||
            (candidate.vcs >> view.out_vc & 1U) == 0)
          continue;
        found.push_back({id, port, vc});
        held |= 1U << view.out_vc;
      }
    }
    const graph::Topology::Far& far = network_.far(id, candidate.port);
    if (far.kind != graph::Topology::Far::Kind::router) return;
    for (unsigned vcs = candidate.vcs & ~held; vcs != 0; vcs &= vcs - 1)
      found.push_back({far.at.router, far.at.port, static_cast<unsigned>(__builtin_ctz(vcs))});
  }

  std::vector<Place> find_cycle() const {
    std::vector<Place> places;
    std::map<Place, Vertex> numbers;
    for (const auto& [place, unused] : waits_) {
      numbers[place] = static_cast<Vertex>(places.size());
      places.push_back(place);
    }
    std::vector<Place> cycle;
    const auto visit = [&](Vertex vertex, const VisitNext& next) {
      for (const Place& target : waits_.at(places[vertex]))
        if (const auto found = numbers.find(target); found != numbers.end()) next(found->second);
    };
    for (const Vertex vertex : tsuji::find_cycle(places.size(), visit)) cycle.push_back(places[vertex]);
    return cycle;
  }

  std::string line(const Place& place) const {
    const router::FlitRouter& router = network_.router(place.router);
    const router::VcView view = router.view(place.port, place.vc);
    std::ostringstream out;
    out << "router " << place.router << ", port " << place.port << ", virtual channel " << place.vc
        << ": packet " << packet_name(pool_.at(view.packet).id) << " for "
        << (pool_.at(view.packet).destination.is_router() ? "" : "node ")
        << pool_.at(view.packet).destination.name();
    switch (view.state) {
      case VcState::idle:
        out << " has not begun";
        break;
      case VcState::routing:
        out << " waits for its route";
        break;
      case VcState::waiting:
        out << " waits for a virtual channel of port";
        for (const routing::RouteCandidate& candidate : router.candidates(place.port, place.vc))
          out << " " << candidate.port << (link_is_down(router, candidate.port) ? " (its link is down)" : "");
        break;
      case VcState::active:
        out << " waits for credits of port " << view.out_port << ", virtual channel " << view.out_vc;
        break;
    }
    out << ", since cycle " << view.blocked_since << " (" << now_ - view.blocked_since << " cycles)";
    return out.str();
  }

  const VcNetwork& network_;
  const PacketPool& pool_;
  const Cycle now_;
  std::map<Place, std::vector<Place>> waits_;
};

/// Routers with flits in neither a buffer nor a stage that anybody sees, as those of RTL.
std::string hidden_flits(const VcNetwork& network, const PacketPool& pool, unsigned most_lines) {
  std::ostringstream out;
  for (graph::RouterId id = 0; id < network.routers() && most_lines != 0; ++id) {
    std::map<PacketId, unsigned> held;
    unsigned flits = 0;
    network.router(id).visit_inside([&](PacketIndex packet) {
      ++held[pool.at(packet).id];
      ++flits;
    });
    if (flits == 0) continue;
    out << "router " << id << " holds " << flits << " flits inside:";
    constexpr unsigned most_packets = 8;
    unsigned named = 0;
    for (const auto& [packet, count] : held) {
      if (named++ == most_packets) break;
      out << (named == 1 ? " " : ", ") << count << " of packet " << packet_name(packet);
    }
    out << (held.size() > most_packets ? ", and of " + std::to_string(held.size() - most_packets) + " more\n"
                                       : "\n");
    --most_lines;
  }
  return out.str();
}

}  // namespace

std::string wait_report(const VcNetwork& network, const PacketPool& pool, Cycle now, unsigned most_lines,
                        const std::string& cause) {
  return (cause.empty() ? DeadlockScan(network, pool).text(3) : cause) +
         hidden_flits(network, pool, most_lines) + WaitGraph(network, pool, now).text(most_lines);
}

}  // namespace tsuji::network
