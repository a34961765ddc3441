// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

inline constexpr std::uint16_t no_port = 0xFFFF;

/// Paths of all routers to one router, with one next hop each: a tree.
class PathTree {
 public:
  explicit PathTree(const graph::Topology& topology);
  /// Sets the tree. `ports`: output of each router on its path to `to`; no_port at `to` and for routers
  /// without a path; must outlive the use of the tree. Only next() and port() may be called afterwards.
  void point(RouterId to, const std::vector<std::uint16_t>& ports);
  /// Sets the tree like point(); all functions may be called afterwards. ModelError for cyclic paths.
  void grow(RouterId to, const std::vector<std::uint16_t>& ports);
  RouterId root() const { return to_; }
  std::uint16_t port(RouterId router) const { return (*ports_)[router]; }
  /// Input port of the next router, for a router with a path.
  graph::PortRef next(RouterId router) const { return next_[router]; }
  /// Routers with paths, each before the routers on its path.
  const std::vector<RouterId>& farthest_first() const { return order_; }
  /// Number of links of a router's path.
  unsigned links(RouterId router) const { return links_[router]; }

 private:
  std::vector<std::uint32_t> first_port_;  ///< [router]: index into far_
  std::vector<graph::PortRef> far_;        ///< [port]
  std::vector<graph::PortRef> next_;       ///< [router], for this tree
  RouterId to_ = 0;
  const std::vector<std::uint16_t>* ports_ = nullptr;
  std::vector<std::uint32_t> links_, count_;
  std::vector<RouterId> order_, walk_;
};

/// Layers of virtual channels that make arbitrary next-hop routing by destination free of deadlock
/// (rooms/routing.md, Where the paper is silent, 5). A layer has a set of turns (from an input to an output
/// of a router) that closes no cycle. A packet begins in layer 0; if its turn is not in its layer it
/// continues in the next higher one, and never returns. The turns of a layer are chosen by the number of
/// paths that need them there.
class TurnLayers {
 public:
  using LayerMask = std::uint16_t;
  static constexpr unsigned most_layers = 16;

  struct Paths {
    /// Writes PathTree's ports towards a router; all no_port if no packet goes there.
    std::function<void(RouterId to, std::vector<std::uint16_t>& ports)> ports;
    std::vector<std::uint8_t> sends;  ///< [router]: packets begin there
  };

  /// Keeps no reference to its arguments. ConfigError (routing.kind `kind`) for more than `most_layers`.
  TurnLayers(const graph::Topology& topology, const Paths& paths, const std::string& kind);

  unsigned layers() const { return static_cast<unsigned>(hops_.size()); }
  /// Layers that contain a turn.
  LayerMask of(RouterId router, unsigned in, unsigned out) const { return turns_[turn(router, in, out)]; }
  bool has(unsigned layer, RouterId router, unsigned in, unsigned out) const {
    return (of(router, in, out) >> layer & 1) != 0;
  }
  /// Number of hops of paths in each layer, with one packet per pair of routers.
  const std::vector<std::uint64_t>& hops() const { return hops_; }

 private:
  class Builder;
  std::size_t turn(RouterId router, unsigned in, unsigned out) const {
    return first_turn_[router] + std::size_t{in} * ports_[router] + out;
  }

  std::vector<std::uint16_t> ports_;     ///< [router]
  std::vector<std::size_t> first_turn_;  ///< [router]
  std::vector<LayerMask> turns_;
  std::vector<std::uint64_t> hops_;
};

/// Number of layers whose turns close a cycle, by a search that is independent of their construction: 0,
/// unless that failed.
unsigned layers_with_cycles(const graph::Topology& topology, const TurnLayers& layers);

/// Assignment of virtual channels to layers: the first ones belong to layer 0, and so on.
class LayerVcs {
 public:
  /// One channel per layer; further ones go to the layers with the highest `uses` per channel. ConfigError
  /// (router.vcs) for fewer channels than layers.
  LayerVcs(const std::string& kind, unsigned vcs, const std::vector<std::uint64_t>& uses);
  unsigned layers() const { return static_cast<unsigned>(of_.size()); }
  VcMask of(unsigned layer) const { return of_[layer]; }
  VcMask above(unsigned layer) const { return above_[layer]; }
  bool knows(unsigned vc) const { return vc < layer_.size(); }
  unsigned layer(unsigned vc) const { return layer_[vc]; }

 private:
  std::vector<VcMask> of_, above_;  ///< [layer]
  std::vector<std::uint8_t> layer_;
};

}  // namespace tsuji::routing
