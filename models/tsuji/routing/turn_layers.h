// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

inline constexpr std::uint16_t no_port = 0xFFFF;

/// Ways of all routers to one, a next hop each: a tree.
class PathTree {
 public:
  explicit PathTree(const graph::Topology& topology);
  /// `ports`: the output of each router on its way to `to`, no_port at `to` and where no way leads; valid as
  /// long as the tree is read. next() and port() are all that may be asked.
  void point(RouterId to, const std::vector<std::uint16_t>& ports);
  /// point(), and everything else may be asked. ModelError for ways that go round.
  void grow(RouterId to, const std::vector<std::uint16_t>& ports);
  RouterId root() const { return to_; }
  std::uint16_t port(RouterId router) const { return (*ports_)[router]; }
  /// Input port of the next router; of a router with a way.
  graph::PortRef next(RouterId router) const { return next_[router]; }
  /// Routers with ways, each before those that its way goes through.
  const std::vector<RouterId>& farthest_first() const { return order_; }
  /// Links of a router's way.
  unsigned links(RouterId router) const { return links_[router]; }

 private:
  std::vector<std::uint32_t> first_port_;  ///< per router, into far_
  std::vector<graph::PortRef> far_;        ///< per port
  std::vector<graph::PortRef> next_;       ///< per router, of this tree: found in their order, read in any
  RouterId to_ = 0;
  const std::vector<std::uint16_t>* ports_ = nullptr;
  std::vector<std::uint32_t> links_, count_;
  std::vector<RouterId> order_, walk_;
};

/// Layers of virtual channels that make any next hops by destination free of deadlock (rooms/routing.md,
/// Where the paper is silent, 5). A layer has a set of turns (from an input to an output of a router) that
/// close no cycle. Packets begin in layer 0; one whose turn is not in its layer goes on in the next higher
/// one, and never back. The turns of a layer are chosen by how many paths need them there.
class TurnLayers {
 public:
  using LayerMask = std::uint16_t;
  static constexpr unsigned most_layers = 16;

  struct Paths {
    /// Writes PathTree's ports towards a router; all no_port where no packet goes.
    std::function<void(RouterId to, std::vector<std::uint16_t>& ports)> ports;
    std::vector<std::uint8_t> sends;  ///< per router: packets begin there
  };

  /// It keeps neither of them. ConfigError (routing.kind `kind`) for more than `most_layers`.
  TurnLayers(const graph::Topology& topology, const Paths& paths, const std::string& kind);

  unsigned layers() const { return static_cast<unsigned>(hops_.size()); }
  /// Layers that a turn belongs to.
  LayerMask of(RouterId router, unsigned in, unsigned out) const { return turns_[turn(router, in, out)]; }
  bool has(unsigned layer, RouterId router, unsigned in, unsigned out) const {
    return (of(router, in, out) >> layer & 1) != 0;
  }
  /// Hops that paths make in each layer, one packet a pair of routers.
  const std::vector<std::uint64_t>& hops() const { return hops_; }

 private:
  class Builder;
  std::size_t turn(RouterId router, unsigned in, unsigned out) const {
    return first_turn_[router] + std::size_t{in} * ports_[router] + out;
  }

  std::vector<std::uint16_t> ports_;     ///< per router
  std::vector<std::size_t> first_turn_;  ///< per router
  std::vector<LayerMask> turns_;
  std::vector<std::uint64_t> hops_;
};

/// Layers whose turns close a cycle, by a search that knows nothing of their construction: 0, unless that
/// went wrong.
unsigned layers_with_cycles(const graph::Topology& topology, const TurnLayers& layers);

/// Virtual channels of layers: the first ones are those of layer 0, and so on.
class LayerVcs {
 public:
  /// A channel a layer; others go to the layers with the most of `uses` a channel. ConfigError (router.vcs)
  /// for fewer channels than layers.
  LayerVcs(const std::string& kind, unsigned vcs, const std::vector<std::uint64_t>& uses);
  unsigned layers() const { return static_cast<unsigned>(of_.size()); }
  VcMask of(unsigned layer) const { return of_[layer]; }
  VcMask above(unsigned layer) const { return above_[layer]; }
  bool knows(unsigned vc) const { return vc < layer_.size(); }
  unsigned layer(unsigned vc) const { return layer_[vc]; }

 private:
  std::vector<VcMask> of_, above_;  ///< per layer
  std::vector<std::uint8_t> layer_;
};

}  // namespace tsuji::routing
