// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/turn_layers.h"

#include <algorithm>
#include <array>

#include "tsuji/core/error.h"
#include "tsuji/routing/acyclic_graph.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {

using graph::Topology;

PathTree::PathTree(const Topology& topology) {
  for (RouterId router = 0; router < topology.routers(); ++router) {
    first_port_.push_back(static_cast<std::uint32_t>(far_.size()));
    for (unsigned port = 0; port < topology.ports(router); ++port)
      far_.push_back(topology.far(router, port).at);
  }
}

void PathTree::point(RouterId to, const std::vector<std::uint16_t>& ports) {
  to_ = to;
  ports_ = &ports;
  next_.resize(ports.size());
  for (RouterId router = 0; router < ports.size(); ++router)
    next_[router] = ports[router] == no_port ? graph::PortRef{} : far_[first_port_[router] + ports[router]];
}

void PathTree::grow(RouterId to, const std::vector<std::uint16_t>& ports) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  point(to, ports);
  links_.assign(ports.size(), unknown);
  links_[to] = 0;
  unsigned longest = 0;
  for (RouterId from = 0; from < ports.size(); ++from) {
    walk_.clear();
    RouterId at = from;
    for (; links_[at] == unknown && ports[at] != no_port; at = next(at).router) {
      walk_.push_back(at);
      if (walk_.size() > ports.size())
        throw ModelError("routing", "the paths to router " + std::to_string(to) + " form a cycle");
    }
    if (links_[at] == unknown) continue;
    for (std::size_t i = walk_.size(); i-- > 0;) links_[walk_[i]] = links_[next(walk_[i]).router] + 1;
    longest = std::max(longest, links_[from]);
  }
  count_.assign(longest + 2, 0);
  for (RouterId from = 0; from < ports.size(); ++from)
    if (from != to && links_[from] != unknown) ++count_[longest - links_[from] + 1];
  for (unsigned i = 0; i <= longest; ++i) count_[i + 1] += count_[i];
  order_.resize(count_[longest]);
  for (RouterId from = 0; from < ports.size(); ++from)
    if (from != to && links_[from] != unknown) order_[count_[longest - links_[from]]++] = from;
}

/// Constructs the layers.
class TurnLayers::Builder {
 public:
  Builder(TurnLayers& layers, const Topology& topology, const Paths& paths)
      : layers_(layers),
        topology_(topology),
        paths_(paths),
        tree_(topology),
        ports_(topology.routers()),
        turn_(topology.routers()) {}

  void find(const std::string& kind) {
    for (unsigned layer = 0; layer < most_layers; ++layer) {
      find_uses(layer);
      if (choose_turns(layer)) return;
    }
    throw ConfigError("routing.kind", kind,
                      "needs more than " + std::to_string(most_layers) + " layers on " + topology_.name(),
                      "another routing");
  }

 private:
  struct Turn {
    std::size_t index;
    std::uint32_t from, to;  ///< channels
  };
  /// Paths that enter a layer at the output of a router.
  struct Rise {
    RouterId at, to;
    std::uint32_t paths;
  };
  /// Above this number of rises no list is kept.
  static constexpr std::size_t most_rises = std::size_t{1} << 24;

  void find_uses(unsigned layer);
  const std::vector<std::uint16_t>& ports_to(RouterId to);
  void follow_all(unsigned layer);
  void add_uses(unsigned layer);
  void follow_rises(unsigned layer);
  void follow(Rise rise, unsigned layer);
  void note_rise(const Rise& rise);
  bool choose_turns(unsigned layer);
  std::vector<Turn> all_turns() const;
  std::uint32_t channel(RouterId router, unsigned port) const {
    const std::uint32_t link = topology_.far(router, port).link;
    return 2 * link + (topology_.links()[link].a == graph::PortRef{router, port} ? 0 : 1);
  }

  /// A turn during a pass, in one place of memory, since most of the time is spent there.
  struct Use {
    std::uint32_t paths = 0;  ///< below 2^32 even with 65,536 routers
    LayerMask layers = 0;
  };
  /// The turn at the next router on a router's path, which continues there.
  std::size_t turn_ahead(RouterId router) const {
    const graph::PortRef at = tree_.next(router);
    return layers_.turn(at.router, at.port, tree_.port(at.router));
  }
  void find_turns();

  TurnLayers& layers_;
  const Topology& topology_;
  const Paths& paths_;
  PathTree tree_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::uint32_t> turn_;  ///< [router]: turn_ahead()
  std::vector<Use> uses_;
  /// [router * (layer + 1) + layer of the paths]: number of paths that leave it.
  std::vector<std::uint32_t> leaving_;
  std::vector<Rise> rises_;  ///< rises into the layer of the last pass, at `to`
  bool all_rises_ = false;   ///< rises_ is complete
};

void TurnLayers::Builder::find_turns() {
  for (RouterId router = 0; router < topology_.routers(); ++router)
    if (tree_.port(router) != no_port && tree_.next(router).router != tree_.root())
      turn_[router] = static_cast<std::uint32_t>(turn_ahead(router));
}

/// Counts the paths that have entered `layer` and make each turn, as if all could stay in it. The turns of
/// lower layers are chosen already. If a pass has few rises, the next one follows these only.
void TurnLayers::Builder::find_uses(unsigned layer) {
  uses_.resize(layers_.turns_.size());
  for (std::size_t turn = 0; turn < uses_.size(); ++turn) uses_[turn] = {0, layers_.turns_[turn]};
  if (all_rises_) {
    follow_rises(layer);
  } else {
    follow_all(layer);
  }
}

const std::vector<std::uint16_t>& TurnLayers::Builder::ports_to(RouterId to) {
  std::fill(ports_.begin(), ports_.end(), no_port);
  paths_.ports(to, ports_);
  return ports_;
}

void TurnLayers::Builder::note_rise(const Rise& rise) {
  if (rises_.size() == most_rises) all_rises_ = false;
  if (all_rises_) rises_.push_back(rise);
}

void TurnLayers::Builder::follow_all(unsigned layer) {
  layers_.hops_.assign(layer + 1, 0);
  rises_.clear();
  all_rises_ = layer > 0;
  for (RouterId to = 0; to < topology_.routers(); ++to) {
    tree_.grow(to, ports_to(to));
    add_uses(layer);
  }
}

/// Adds all paths to one router.
void TurnLayers::Builder::add_uses(unsigned layer) {
  leaving_.assign(std::size_t{topology_.routers()} * (layer + 1), 0);
  find_turns();
  std::array<std::uint64_t, most_layers> hops{};
  for (RouterId here : tree_.farthest_first()) {
    std::uint32_t* const leaving = &leaving_[std::size_t{here} * (layer + 1)];
    leaving[0] += paths_.sends[here];
    for (unsigned k = 0; k <= layer; ++k) hops[k] += leaving[k];
    const graph::PortRef at = tree_.next(here);
    if (at.router == tree_.root()) continue;
    Use& use = uses_[turn_[here]];
    std::uint32_t* const ahead = &leaving_[std::size_t{at.router} * (layer + 1)];
    for (unsigned k = 0; k < layer; ++k) ahead[(use.layers >> k & 1) != 0 ? k : k + 1] += leaving[k];
    if (layer > 0 && leaving[layer - 1] > 0 && (use.layers >> (layer - 1) & 1) == 0)
      note_rise({at.router, tree_.root(), leaving[layer - 1]});
    ahead[layer] += leaving[layer];
    use.paths += leaving[layer];
  }
  for (unsigned k = 0; k <= layer; ++k) layers_.hops_[k] += hops[k];
}

/// Follows the paths that have risen from the layer below.
void TurnLayers::Builder::follow_rises(unsigned layer) {
  layers_.hops_.resize(layer + 1);
  layers_.hops_[layer - 1] = 0;
  const std::vector<Rise> before = std::move(rises_);
  rises_.clear();
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i == 0 || before[i].to != before[i - 1].to) tree_.point(before[i].to, ports_to(before[i].to));
    follow(before[i], layer);
  }
}

void TurnLayers::Builder::follow(Rise rise, unsigned layer) {
  unsigned in = layer - 1;
  for (RouterId here = rise.at;;) {
    layers_.hops_[in] += rise.paths;
    const graph::PortRef at = tree_.next(here);
    if (at.router == rise.to) return;
    Use& use = uses_[turn_ahead(here)];
    if (in == layer) {
      use.paths += rise.paths;
    } else if ((use.layers >> in & 1) == 0) {
      ++in;
      note_rise({at.router, rise.to, rise.paths});
    }
    here = at.router;
  }
}

std::vector<TurnLayers::Builder::Turn> TurnLayers::Builder::all_turns() const {
  std::vector<Turn> turns;
  for (RouterId router = 0; router < topology_.routers(); ++router) {
    for (unsigned in = 0; in < topology_.ports(router); ++in) {
      const Topology::Far& before = topology_.far(router, in);
      if (before.kind != Topology::Far::Kind::router || !before.receives) continue;
      for (unsigned out = 0; out < topology_.ports(router); ++out) {
        const Topology::Far& after = topology_.far(router, out);
        if (in == out || after.kind != Topology::Far::Kind::router || !after.sends) continue;
        turns.push_back(
            {layers_.turn(router, in, out), channel(before.at.router, before.at.port), channel(router, out)});
      }
    }
  }
  return turns;
}

/// Adds turns to the layer, in the order of their uses, as long as they close no cycle. Returns true if all
/// used turns were added.
bool TurnLayers::Builder::choose_turns(unsigned layer) {
  std::vector<Turn> turns = all_turns();
  std::stable_sort(turns.begin(), turns.end(),
                   [&](const Turn& a, const Turn& b) { return uses_[a.index].paths > uses_[b.index].paths; });
  AcyclicGraph graph(2 * topology_.links().size());
  bool all = true;
  for (const Turn& turn : turns) {
    if (graph.add_path({turn.from, turn.to}))
      layers_.turns_[turn.index] |= static_cast<LayerMask>(1U << layer);
    else if (uses_[turn.index].paths > 0)
      all = false;
  }
  return all;
}

TurnLayers::TurnLayers(const Topology& topology, const Paths& paths, const std::string& kind) {
  std::size_t turns = 0;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    ports_.push_back(static_cast<std::uint16_t>(topology.ports(router)));
    first_turn_.push_back(turns);
    turns += std::size_t{ports_.back()} * ports_.back();
  }
  turns_.assign(turns, 0);
  Builder(*this, topology, paths).find(kind);
}

namespace {

/// Removes channels without a predecessor, until none is left or all that are left have one.
bool closes_cycle(const Topology& topology, const TurnLayers& layers, unsigned layer) {
  std::vector<std::size_t> first;
  std::size_t channels = 0;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    first.push_back(channels);
    channels += topology.ports(router);
  }
  // A channel is identified by the input port at its end.
  const auto visit = [&](graph::PortRef in, const auto& next) {
    for (unsigned out = 0; out < topology.ports(in.router); ++out) {
      const Topology::Far& far = topology.far(in.router, out);
      if (far.kind == Topology::Far::Kind::router && layers.has(layer, in.router, in.port, out)) next(far.at);
    }
  };
  std::vector<std::uint32_t> leading(channels, 0);
  std::vector<graph::PortRef> free;
  for (RouterId router = 0; router < topology.routers(); ++router)
    for (unsigned in = 0; in < topology.ports(router); ++in)
      visit({router, in}, [&](graph::PortRef next) { ++leading[first[next.router] + next.port]; });
  for (RouterId router = 0; router < topology.routers(); ++router)
    for (unsigned in = 0; in < topology.ports(router); ++in)
      if (leading[first[router] + in] == 0) free.push_back({router, in});
  for (std::size_t i = 0; i < free.size(); ++i) {
    const graph::PortRef in = free[i];
    visit(in, [&](graph::PortRef next) {
      if (--leading[first[next.router] + next.port] == 0) free.push_back(next);
    });
  }
  return free.size() != channels;
}

}  // namespace

unsigned layers_with_cycles(const Topology& topology, const TurnLayers& layers) {
  unsigned count = 0;
  for (unsigned layer = 0; layer < layers.layers(); ++layer)
    count += closes_cycle(topology, layers, layer) ? 1 : 0;
  return count;
}

LayerVcs::LayerVcs(const std::string& kind, unsigned vcs, const std::vector<std::uint64_t>& uses) {
  const auto layers = static_cast<unsigned>(uses.size());
  require_vcs(kind, vcs, layers);
  std::vector<unsigned> count(layers, 1);
  for (unsigned spare = vcs - layers; spare > 0; --spare) {
    unsigned fullest = 0;
    for (unsigned layer = 1; layer < layers; ++layer)
      if (uses[layer] * count[fullest] > uses[fullest] * count[layer]) fullest = layer;
    ++count[fullest];
  }
  unsigned first = 0;
  for (unsigned layer = 0; layer < layers; ++layer) {
    of_.push_back(vc_range(first, count[layer]));
    first += count[layer];
    above_.push_back(vc_range(first, vcs - first));
    layer_.resize(first, static_cast<std::uint8_t>(layer));
  }
}

}  // namespace tsuji::routing
