// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/source_backlog.h"

#include <algorithm>
#include <cmath>

#include "tsuji/core/error.h"
#include "tsuji/observe/quantiles.h"

namespace tsuji::observe {
namespace {

/// Sources with fewer packets are judged together with their neighbours.
constexpr std::uint64_t least_packets = 16;
/// Share of runs at the limit in which some source's backlog is said to grow.
constexpr double false_growth = 0.01;

/// Variance over the interval of values, each of which represents an equal part of it.
double variance(const std::vector<double>& values) {
  const auto parts = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / parts;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1) * parts;
}

}  // namespace

/// Sources that are judged as one: most often one.
struct SourceBacklog::Group {
  NodeId first = 0;
  double offered = 0, ended = 0;
  double offered_variance = 0, growth_variance = 0;  ///< over the interval, from its parts
  Latencies latencies;
};

SourceBacklog::SourceBacklog(unsigned sources, unsigned parts)
    : sources_(sources), parts_(parts), cells_(std::size_t{sources} * parts), latencies_(sources) {
  if (parts == 0) throw ModelError("measurement", "a backlog needs parts");
}

/// Calls `visit(part, counts)` for the carried counts of these sources.
template <class Visit>
void SourceBacklog::visit_carried(NodeId first, NodeId end, std::size_t parts, const Visit& visit) const {
  const auto last = carried_.lower_bound(std::size_t{end} * parts_);
  for (auto carried = carried_.lower_bound(std::size_t{first} * parts_); carried != last; ++carried)
    if (const std::size_t part = carried->first % parts_; part < parts) visit(part, carried->second);
}

std::uint64_t SourceBacklog::offered_in(NodeId source, std::size_t parts) const {
  std::uint64_t sum = 0;
  const Cell* of = &cells_[std::size_t{source} * parts_];
  for (std::size_t part = 0; part < parts; ++part) sum += of[part].offered;
  visit_carried(source, source + 1, parts, [&](std::size_t, const Counts& more) { sum += more.offered; });
  return sum;
}

SourceBacklog::Group SourceBacklog::group(NodeId first, NodeId end, std::size_t parts) const {
  Group group;
  group.first = first;
  std::vector<Counts> counts(parts);
  for (NodeId source = first; source < end; ++source) {
    const Cell* of = &cells_[std::size_t{source} * parts_];
    for (std::size_t part = 0; part < parts; ++part) {
      counts[part].offered += of[part].offered;
      counts[part].ended += of[part].ended;
    }
    group.latencies.cycles += latencies_[source].cycles;
    group.latencies.hops += latencies_[source].hops;
    group.latencies.packets += latencies_[source].packets;
  }
  visit_carried(first, end, parts, [&](std::size_t part, const Counts& more) {
    counts[part].offered += more.offered;
    counts[part].ended += more.ended;
  });
  std::vector<double> offered(parts), grown(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    offered[part] = static_cast<double>(counts[part].offered);
    grown[part] = offered[part] - static_cast<double>(counts[part].ended);
    group.offered += offered[part];
    group.ended += static_cast<double>(counts[part].ended);
  }
  group.offered_variance = variance(offered);
  group.growth_variance = variance(grown);
  return group;
}

/// First sources of the groups. Sources that offer nothing are in none. The last few packets go with the
/// group before.
std::vector<NodeId> SourceBacklog::groups(std::size_t parts) const {
  std::vector<NodeId> begins;
  std::uint64_t packets = least_packets;
  for (NodeId source = 0; source < sources_; ++source) {
    const std::uint64_t own = offered_in(source, parts);
    if (own == 0) continue;
    if (packets >= least_packets) {
      begins.push_back(source);
      packets = 0;
    }
    packets += own;
  }
  if (packets < least_packets && begins.size() > 1) begins.pop_back();
  return begins;
}

/// Updates `worst` with one group's share, growth and waiting packets.
void SourceBacklog::judge_group(const Group& group, double noise, double cycles,
                                const UndisturbedLatency& undisturbed, BacklogVerdict& worst) {
  const double share = group.ended / group.offered;
  if (share < worst.worst_share) {
    worst.worst_share = share;
    worst.worst_source = group.first;
  }
  const double growth = group.offered - group.ended;
  if (growth / noise > worst.growth) {
    worst.growth = growth / noise;
    worst.growth_packets = growth;
  }
  const Latencies& of = group.latencies;
  const double waited = static_cast<double>(of.cycles) -
                        undisturbed.cycles * static_cast<double>(of.packets) -
                        undisturbed.cycles_a_hop * static_cast<double>(of.hops);
  // Regular arrivals have less noise than independent ones, and an occasional packet is no queue.
  const double least_noise = std::sqrt(static_cast<double>(least_packets));
  worst.waiting = std::max(worst.waiting, waited / cycles / std::max(noise, least_noise));
}

BacklogVerdict SourceBacklog::judge(std::size_t parts, double cycles,
                                    const UndisturbedLatency& undisturbed) const {
  using Kind = BacklogVerdict::Kind;
  BacklogVerdict verdict;
  const Group all = group(0, sources_, parts);
  verdict.offered = static_cast<std::uint64_t>(all.offered);
  if (verdict.offered == 0) return verdict;
  const std::vector<NodeId> judged = groups(parts);
  // Groups are summed again for each question: those of a large network take more memory than its counts.
  const auto group_at = [&](std::size_t index) {
    return group(judged[index], index + 1 < judged.size() ? judged[index + 1] : sources_, parts);
  };
  double offered_variance = 0;
  for (std::size_t i = 0; i < judged.size(); ++i) offered_variance += group_at(i).offered_variance;
  // Variance of a number of packets over their number: 1 for packets that come independently of each other.
  const double dispersion = parts > 1 ? offered_variance / all.offered : 1.0;
  const auto noise = [&](const Group& of) {
    return std::sqrt(std::max({of.growth_variance, dispersion * of.offered, 1.0}));
  };
  verdict.share = all.ended / all.offered;
  verdict.share_noise = noise(all) / all.offered;
  if (verdict.offered < least_packets) return verdict;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const Group group = group_at(i);
    judge_group(group, noise(group), cycles, undisturbed, verdict);
  }
  // Student's quantile, because the variance of few parts is uncertain.
  const double freedom = parts > 3 ? static_cast<double>(parts - 1) : 1e9;
  verdict.growth_limit = student_quantile(false_growth / static_cast<double>(judged.size()), freedom);
  if (verdict.growth > verdict.growth_limit) {
    verdict.kind = Kind::growing;
  } else if (verdict.waiting <= critical_waiting) {
    verdict.kind = Kind::stable;
  } else {
    verdict.kind = Kind::undecided;
    const double stable_after = verdict.waiting / critical_waiting;
    const double grows_after = verdict.growth > 0 ? verdict.growth_limit / verdict.growth : stable_after;
    verdict.decides_after = std::pow(std::min(stable_after, grows_after), 2);
  }
  return verdict;
}

}  // namespace tsuji::observe
