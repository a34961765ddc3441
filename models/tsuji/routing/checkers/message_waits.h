// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "tsuji/routing/checkers/channel_graph.h"

namespace tsuji::routing {

/// Dependencies of message classes: at each node and for each class that is answered, one vertex represents
/// requests that wait there because their answers find no room. A channel whose packets end at the node waits
/// for it, and it waits for the channels that an answer may request first. Vertices are numbered after those
/// of the channels.
class MessageWaits {
 public:
  MessageWaits(const graph::Topology& topology, const ChannelNumbers& numbers,
               const std::vector<MessageAnswer>& answers);
  /// Returns true if any class is answered.
  bool any() const { return !answers_.empty(); }
  /// Number of vertices, with those of the channels.
  std::size_t size() const { return next_.size(); }
  /// Packets that hold a channel wait until `destination` ejects them.
  void add_ejection(Vertex channel, NodeId destination);
  /// Answers of a node request a channel.
  void add_injection(NodeId source, Vertex channel);
  /// Answers of a node reach another node of its router without a channel between routers.
  void add_neighbour(NodeId source, NodeId destination);
  std::uint64_t edges() const { return edges_.size(); }
  void visit(Vertex from, const VisitNext& next) const {
    for (const Vertex to : next_[from]) next(to);
  }
  /// The wait that a vertex after the channels represents, with the port of its node.
  Channel wait(Vertex v) const;
  /// Node of such a vertex.
  NodeId node(Vertex v) const { return static_cast<NodeId>((v - channels_) % nodes_); }

 private:
  Vertex vertex(std::size_t answer, NodeId node) const {
    return static_cast<Vertex>(channels_ + answer * nodes_ + node);
  }
  void add(Vertex from, Vertex to);

  const graph::Topology& topology_;
  const ChannelNumbers& numbers_;
  const std::vector<MessageAnswer>& answers_;
  const std::size_t channels_, nodes_;
  std::vector<std::vector<Vertex>> next_;
  std::unordered_set<std::uint64_t> edges_;
};

}  // namespace tsuji::routing
