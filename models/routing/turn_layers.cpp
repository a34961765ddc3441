#include "tsuji/routing/turn_layers.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/acyclic_graph.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {

using graph::Topology;

void PathTree::grow(RouterId to, const std::vector<std::uint16_t>& ports) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  to_ = to;
  ports_ = &ports;
  links_.assign(ports.size(), unknown);
  links_[to] = 0;
  unsigned longest = 0;
  for (RouterId from = 0; from < ports.size(); ++from) {
    walk_.clear();
    RouterId at = from;
    for (; links_[at] == unknown && ports[at] != no_port; at = next(at).router) {
      walk_.push_back(at);
      if (walk_.size() > ports.size())
        throw ModelError("routing", "the ways to router " + std::to_string(to) + " go round");
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

/// Finds layers.
class TurnLayers::Builder {
 public:
  Builder(TurnLayers& layers, const Topology& topology, const Paths& paths)
      : layers_(layers), topology_(topology), paths_(paths), tree_(topology) {}

  void find(const std::string& kind) {
    for (unsigned layer = 0; layer < most_layers; ++layer)
      if (choose_turns(layer, uses_of_turns(layer))) return;
    throw ConfigError("routing.kind", kind,
                      "needs more than " + std::to_string(most_layers) + " layers on " + topology_.name(),
                      "another routing");
  }

 private:
  struct Turn {
    std::size_t index;
    std::uint32_t from, to;  ///< channels
  };

  std::vector<std::uint64_t> uses_of_turns(unsigned layer);
  void add_uses(unsigned layer, std::vector<std::uint64_t>& uses);
  bool choose_turns(unsigned layer, const std::vector<std::uint64_t>& uses);
  std::vector<Turn> all_turns() const;
  std::uint32_t channel(RouterId router, unsigned port) const {
    const std::uint32_t link = topology_.far(router, port).link;
    return 2 * link + (topology_.links()[link].a == graph::PortRef{router, port} ? 0 : 1);
  }

  TurnLayers& layers_;
  const Topology& topology_;
  const Paths& paths_;
  PathTree tree_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::uint64_t> leaving_;  ///< router * (layer + 1) + layer they are in: paths that leave it
};

/// Numbers of paths that have come into `layer` and turn there, if they could all stay in it. The turns of
/// lower layers are chosen already.
std::vector<std::uint64_t> TurnLayers::Builder::uses_of_turns(unsigned layer) {
  std::vector<std::uint64_t> uses(layers_.turns_.size(), 0);
  layers_.hops_.assign(layer + 1, 0);
  for (RouterId to = 0; to < topology_.routers(); ++to) {
    ports_.assign(topology_.routers(), no_port);
    paths_.ports(to, ports_);
    tree_.grow(to, ports_);
    add_uses(layer, uses);
  }
  return uses;
}

/// Those of the paths to one router.
void TurnLayers::Builder::add_uses(unsigned layer, std::vector<std::uint64_t>& uses) {
  leaving_.assign(std::size_t{topology_.routers()} * (layer + 1), 0);
  for (RouterId here : tree_.farthest_first()) {
    std::uint64_t* const leaving = &leaving_[std::size_t{here} * (layer + 1)];
    leaving[0] += paths_.sends[here];
    for (unsigned k = 0; k <= layer; ++k) layers_.hops_[k] += leaving[k];
    const graph::PortRef at = tree_.next(here);
    if (at.router == tree_.root()) continue;
    const std::size_t turn = layers_.turn(at.router, at.port, tree_.port(at.router));
    std::uint64_t* const ahead = &leaving_[std::size_t{at.router} * (layer + 1)];
    for (unsigned k = 0; k < layer; ++k)
      ahead[(layers_.turns_[turn] >> k & 1) != 0 ? k : k + 1] += leaving[k];
    ahead[layer] += leaving[layer];
    uses[turn] += leaving[layer];
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

/// Puts turns into the layer, those with most uses first, as long as they close no cycle. True if all that
/// are used found place.
bool TurnLayers::Builder::choose_turns(unsigned layer, const std::vector<std::uint64_t>& uses) {
  std::vector<Turn> turns = all_turns();
  std::stable_sort(turns.begin(), turns.end(),
                   [&](const Turn& a, const Turn& b) { return uses[a.index] > uses[b.index]; });
  AcyclicGraph graph(2 * topology_.links().size());
  bool all = true;
  for (const Turn& turn : turns) {
    if (graph.add_path({turn.from, turn.to}))
      layers_.turns_[turn.index] |= static_cast<LayerMask>(1U << layer);
    else if (uses[turn.index] > 0)
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
