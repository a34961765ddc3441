// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/replay/rank_timeline.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::machines {

using workload::MessageKey;
using workload::RankMessage;
using workload::TraceOpKind;

RankTimeline::Name RankTimeline::name(const MessageKey& key, Part part) {
  return {
      std::uint64_t{key.source} << 48 | std::uint64_t{key.destination} << 32 |
          static_cast<std::uint32_t>(key.tag),
      std::uint64_t{key.number} << 3 | std::uint64_t{key.collective} << 2 | static_cast<std::uint64_t>(part)};
}

Cycle RankTimeline::cycle_of(const Cycles& cycles, const MessageKey& key, Part part) {
  const auto found = cycles.find(name(key, part));
  return found == cycles.end() ? never : found->second;
}

void RankTimeline::spent(std::uint16_t rank, TraceOpKind operation, Cycle first, Cycle end,
                         const MessageKey* ended_by) {
  Span span{operation, first, end, ended_by != nullptr, {}};
  if (ended_by != nullptr) span.ended_by = *ended_by;
  ranks_[rank].spans.push_back(span);
}

void RankTimeline::sent(std::uint16_t rank, const RankMessage& message, Cycle now) {
  ranks_[rank].sent[name(message.key, message.part)] = now;
  if (message.part != Part::eager && message.part != Part::data) return;
  Count& count = ranks_[rank].to[message.key.destination];
  ++count.messages;
  count.bytes += message.bytes;
}

void RankTimeline::came(std::uint16_t rank, const RankMessage& message, Cycle now) {
  if (message.part == Part::request) ranks_[rank].came[name(message.key, message.part)] = now;
}

std::map<std::pair<std::uint16_t, std::uint16_t>, RankTimeline::Count> RankTimeline::matrix() const {
  std::map<std::pair<std::uint16_t, std::uint16_t>, Count> matrix;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    for (const auto& [to, count] : ranks_[rank].to) matrix[{static_cast<std::uint16_t>(rank), to}] = count;
  return matrix;
}

std::uint16_t RankTimeline::last_rank() const {
  std::size_t last = 0;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank)
    if (end_of(rank) > end_of(last)) last = rank;
  return static_cast<std::uint16_t>(last);
}

/// The step that ends in cycle `at` at a rank.
RankTimeline::Step RankTimeline::before(std::uint16_t rank, Cycle at) const {
  const std::vector<Span>& spans = ranks_[rank].spans;
  const auto after =
      std::partition_point(spans.begin(), spans.end(), [at](const Span& span) { return span.first < at; });
  if (after == spans.begin())
    throw ModelError("critical path", at, "", "rank " + std::to_string(rank) + " has done nothing");
  const Span& span = *(after - 1);
  Step step{rank, rank, span.operation, span.first, at, false};
  if (!span.waits) return step;
  step.message = true;
  const MessageKey& key = span.ended_by;
  const Rank &source = ranks_[key.source], &destination = ranks_[key.destination];
  const Cycle whole = cycle_of(source.sent, key, Part::eager);
  if (whole != never) {
    step.from = key.source;
    step.first = whole;
    return step;
  }
  const Cycle answered = cycle_of(destination.sent, key, Part::clear_to_send);
  const bool receive_was_last = answered > cycle_of(destination.came, key, Part::request);
  step.from = receive_was_last ? key.destination : key.source;
  step.first = receive_was_last ? answered : cycle_of(source.sent, key, Part::request);
  return step;
}

std::vector<RankTimeline::Step> RankTimeline::critical_path() const {
  std::vector<Step> path;
  std::uint16_t rank = last_rank();
  for (Cycle at = end_of(rank); at > 1;) {
    const Step step = before(rank, at);
    if (step.first >= at)
      throw ModelError("critical path", at, "",
                       "a message to rank " + std::to_string(rank) + " was not sent before");
    path.push_back(step);
    rank = step.from;
    at = step.first;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace tsuji::machines
