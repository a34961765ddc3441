// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/message_waits.h"

namespace tsuji::routing {

MessageWaits::MessageWaits(const graph::Topology& topology, const ChannelNumbers& numbers,
                           const std::vector<MessageAnswer>& answers)
    : topology_(topology),
      numbers_(numbers),
      answers_(answers),
      channels_(numbers.size()),
      nodes_(topology.nodes()),
      next_(channels_ + answers.size() * nodes_) {}

void MessageWaits::add(Vertex from, Vertex to) {
  if (edges_.insert(std::uint64_t{from} << 32 | to).second) next_[from].push_back(to);
}

void MessageWaits::add_ejection(Vertex channel, NodeId destination) {
  for (std::size_t a = 0; a < answers_.size(); ++a)
    if ((answers_[a].vcs >> numbers_.vc(channel) & 1U) != 0) add(channel, vertex(a, destination));
}

void MessageWaits::add_injection(NodeId source, Vertex channel) {
  for (std::size_t a = 0; a < answers_.size(); ++a)
    if ((answers_[a].answer_vcs >> numbers_.vc(channel) & 1U) != 0) add(vertex(a, source), channel);
}

void MessageWaits::add_neighbour(NodeId source, NodeId destination) {
  for (std::size_t a = 0; a < answers_.size(); ++a)
    for (std::size_t b = 0; b < answers_.size(); ++b)
      if ((answers_[a].answer_vcs & answers_[b].vcs) != 0) add(vertex(a, source), vertex(b, destination));
}

Channel MessageWaits::wait(Vertex v) const {
  const graph::PortRef at = topology_.node(node(v)).eject;
  return {at.router, at.port, 0,
          "node " + std::to_string(node(v)) + ": " + answers_[(v - channels_) / nodes_].text};
}

}  // namespace tsuji::routing
