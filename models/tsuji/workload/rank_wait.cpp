// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/rank_wait.h"

#include <algorithm>

#include "tsuji/core/cycle_search.h"

namespace tsuji::workload {
namespace {

constexpr std::size_t listed_ranks = 16;
constexpr std::size_t listed_requests = 4;

using Edges = std::vector<std::vector<std::uint32_t>>;

/// Whom each rank waits for.
Edges waits_for(const std::vector<RankState>& ranks) {
  Edges edges(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankState& state = ranks[rank];
    if (state.finished) continue;
    for (const OpenRequest& request : state.requests) {
      if (request.peer && *request.peer < ranks.size()) edges[rank].push_back(*request.peer);
    }
    if (!state.in_collective) continue;
    for (const RankState& other : ranks) {
      if (other.collectives < state.collectives) edges[rank].push_back(other.rank);
    }
  }
  for (auto& targets : edges) {
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  }
  return edges;
}

std::string request_text(const OpenRequest& request) {
  const std::string peer = request.peer ? "rank " + std::to_string(*request.peer) : "any rank";
  const std::string tag = request.tag ? std::to_string(*request.tag) : "any";
  return std::string(request.receives ? "receive from " : "send to ") + peer + ", tag " + tag + ", " +
         std::to_string(request.bytes) + " bytes" + (request.collective ? " (of a collective) " : " ") +
         request.state;
}

std::string rank_text(const RankState& state, const std::vector<RankState>& ranks) {
  std::string text = "rank " + std::to_string(state.rank) + ": " + state.doing + "\n";
  if (state.in_collective) {
    std::string missing;
    std::size_t number = 0;
    for (const RankState& other : ranks) {
      if (other.collectives >= state.collectives) continue;
      if (++number <= listed_ranks)
        missing += " " + std::to_string(other.rank) + (other.finished ? " (finished)" : "");
    }
    if (number > listed_ranks) missing += " and " + std::to_string(number - listed_ranks) + " more";
    text += number == 0 ? "  all ranks are inside this collective\n"
                        : "  waits for ranks that have not arrived:" + missing + "\n";
  }
  for (std::size_t i = 0; i < std::min(listed_requests, state.requests.size()); ++i) {
    const OpenRequest& request = state.requests[i];
    const bool peer_finished = request.peer && *request.peer < ranks.size() && ranks[*request.peer].finished;
    text += "  " + request_text(request) + (peer_finished ? "; that rank has finished" : "") + "\n";
  }
  if (state.requests.size() > listed_requests) {
    text += "  and " + std::to_string(state.requests.size() - listed_requests) + " more requests\n";
  }
  for (std::size_t i = 0; i < std::min(listed_requests, state.unreceived.size()); ++i) {
    const UnreceivedMessage& message = state.unreceived[i];
    text += "  has an unreceived message from rank " + std::to_string(message.source) + ", tag " +
            std::to_string(message.tag) + ", " + std::to_string(message.bytes) + " bytes\n";
  }
  return text;
}

}  // namespace

std::string rank_wait_report(const std::vector<RankState>& ranks) {
  std::string text;
  std::size_t waiting = 0;
  for (const RankState& state : ranks) {
    if (state.finished) continue;
    if (++waiting <= listed_ranks) text += rank_text(state, ranks);
  }
  if (waiting > listed_ranks) text += "and " + std::to_string(waiting - listed_ranks) + " more ranks\n";
  const Edges edges = waits_for(ranks);
  const auto cycle = find_cycle(ranks.size(), [&](Vertex rank, const VisitNext& next) {
    for (const std::uint32_t other : edges[rank]) next(other);
  });
  if (!cycle.empty()) {
    text += "circle:";
    for (const std::uint32_t rank : cycle) text += " rank " + std::to_string(rank) + " waits for";
    text += " rank " + std::to_string(cycle.front()) + "\n";
  }
  return std::to_string(waiting) + " of " + std::to_string(ranks.size()) + " ranks wait forever\n" + text;
}

std::string lost_messages_report(const std::vector<LostMessage>& messages) {
  constexpr std::size_t listed_messages = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(listed_messages, messages.size()); ++i) {
    const LostMessage& message = messages[i];
    text += "lost: message from rank " + std::to_string(message.source) + " to rank " +
            std::to_string(message.destination) + (message.collective ? ", of collective " : ", tag ") +
            std::to_string(message.tag) + ", " + std::to_string(message.bytes) + " bytes" +
            (*message.part == 0 ? "" : std::string(" (") + message.part + ")") + ", in cycle " +
            std::to_string(message.cycle) + ": " + message.cause + "\n";
  }
  if (messages.size() > listed_messages)
    text += "and " + std::to_string(messages.size() - listed_messages) + " more lost messages\n";
  return text;
}

}  // namespace tsuji::workload
