#include <map>
#include <sstream>
#include <vector>

#include "fabric/network_guard.h"

namespace tsuji::fabric {
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
      out << "they wait for each other in a circle:\n";
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
    const router::VcRouterState& state = network_.router(id).state();
    for (unsigned port = 0; port < state.ports(); ++port) {
      for (unsigned vc = 0; vc < state.vcs(port); ++vc) {
        const router::VcView view = state.view(port, vc);
        if (view.has_flit) waits_[{id, port, vc}] = targets(state, {id, port, vc}, view);
      }
    }
  }

  std::vector<Place> targets(const router::VcRouterState& state, const Place& place,
                             const router::VcView& view) const {
    std::vector<Place> found;
    if (view.state == VcState::active) {
      const graph::Topology::Far& far = network_.topology().far(place.router, view.out_port);
      if (far.kind == graph::Topology::Far::Kind::router)
        found.push_back({far.at.router, far.at.port, view.out_vc});
    } else if (view.state == VcState::waiting) {
      for (const routing::RouteCandidate& way : state.ways(place.port, place.vc)) {
        add_holders(state, place.router, way, found);
      }
    }
    return found;
  }

  void add_holders(const router::VcRouterState& state, graph::RouterId id, const routing::RouteCandidate& way,
                   std::vector<Place>& found) const {
    for (unsigned port = 0; port < state.ports(); ++port) {
      for (unsigned vc = 0; vc < state.vcs(port); ++vc) {
        const router::VcView view = state.view(port, vc);
        if (view.state == VcState::active && view.out_port == way.port && (way.vcs >> view.out_vc & 1U) != 0)
          found.push_back({id, port, vc});
      }
    }
  }

  /// A walk along first waits ends in a circle or with somebody who waits for nobody that is known.
  std::vector<Place> find_cycle() const {
    std::map<Place, unsigned> walk_of;
    unsigned walk = 0;
    for (const auto& [start, unused] : waits_) {
      ++walk;
      Place at = start;
      while (waits_.count(at) != 0 && walk_of.count(at) == 0 && !waits_.at(at).empty()) {
        walk_of[at] = walk;
        at = waits_.at(at).front();
      }
      const auto seen = walk_of.find(at);
      if (seen == walk_of.end() || seen->second != walk || waits_.count(at) == 0) continue;
      std::vector<Place> cycle{at};
      for (Place next = waits_.at(at).front(); next < at || at < next; next = waits_.at(next).front())
        cycle.push_back(next);
      return cycle;
    }
    return {};
  }

  std::string line(const Place& place) const {
    const router::VcRouterState& state = network_.router(place.router).state();
    const router::VcView view = state.view(place.port, place.vc);
    std::ostringstream out;
    out << "router " << place.router << ", port " << place.port << ", virtual channel " << place.vc
        << ": packet " << packet_name(pool_.at(view.packet).id) << " for node "
        << pool_.at(view.packet).destination;
    switch (view.state) {
      case VcState::idle:
        out << " has not begun";
        break;
      case VcState::routing:
        out << " waits for its way";
        break;
      case VcState::waiting:
        out << " waits for a virtual channel of port";
        for (const routing::RouteCandidate& way : state.ways(place.port, place.vc)) out << " " << way.port;
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

}  // namespace

std::string wait_report(const VcNetwork& network, const PacketPool& pool, Cycle now, unsigned most_lines) {
  return WaitGraph(network, pool, now).text(most_lines);
}

}  // namespace tsuji::fabric
