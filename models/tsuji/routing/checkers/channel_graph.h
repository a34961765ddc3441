// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/cycle_search.h"
#include "tsuji/routing/checkers/deadlock.h"

namespace tsuji::routing {

/// Numbers of the virtual channels of all links; a wire is one direction of a link.
class ChannelNumbers {
 public:
  ChannelNumbers(const graph::Topology& topology, unsigned vcs);
  std::size_t wires() const { return to_.size(); }
  std::size_t size() const { return to_.size() * vcs_; }
  unsigned vcs() const { return vcs_; }
  /// Wire fed by a router's output; `graph::none` if the output goes to no router.
  std::uint32_t wire(RouterId router, unsigned port) const { return wire_[first_port_[router] + port]; }
  Vertex vertex(std::uint32_t wire, unsigned vc) const { return wire * vcs_ + vc; }
  unsigned vc(Vertex v) const { return v % vcs_; }
  graph::PortRef sender(Vertex v) const { return from_[v / vcs_]; }
  /// Input port at the end of this channel.
  graph::PortRef arrival(Vertex v) const { return to_[v / vcs_]; }
  Channel channel(Vertex v) const {
    const graph::PortRef from = sender(v);
    return {from.router, from.port, vc(v)};
  }

 private:
  unsigned vcs_;
  std::vector<std::uint32_t> first_port_, wire_;
  std::vector<graph::PortRef> from_, to_;
};

/// Dependencies of channels: for each channel one bit per output and virtual channel of the router at its end
/// that a packet holding the channel may request next.
class ChannelGraph {
 public:
  ChannelGraph(const graph::Topology& topology, const ChannelNumbers& numbers);
  /// Bits of the outputs of a router, to be added to channels that end there.
  using Outputs = std::vector<std::uint64_t>;
  void clear(RouterId router, Outputs& outputs) const { outputs.assign(words_[router], 0); }
  void set(Outputs& outputs, unsigned port, VcMask vcs) const;
  void add(Vertex from, const Outputs& outputs);
  bool has(Vertex from, Vertex to) const;
  std::uint64_t edges() const;
  void visit(Vertex from, const VisitNext& next) const;

 private:
  const ChannelNumbers& numbers_;
  std::vector<std::uint32_t> words_;  ///< [router]
  std::vector<std::size_t> first_;    ///< [wire]
  std::vector<std::uint64_t> bits_;
};

/// Graph of a subset of the channels, with a dense adjacency matrix.
class DenseGraph {
 public:
  /// `part`: which channels are vertices.
  explicit DenseGraph(const std::vector<bool>& part);
  std::size_t words() const { return (channels_.size() + 63) / 64; }
  std::uint32_t index(Vertex channel) const { return index_[channel]; }
  Vertex channel(std::uint32_t index) const { return channels_[index]; }
  std::size_t size() const { return channels_.size(); }
  void add(std::uint32_t from, const std::uint64_t* to);
  std::uint64_t edges() const;
  void visit(Vertex from, const VisitNext& next) const;

 private:
  std::vector<std::uint32_t> index_;  ///< [channel]; `graph::none` outside of the part
  std::vector<Vertex> channels_;
  std::vector<std::uint64_t> rows_;
};

}  // namespace tsuji::routing
