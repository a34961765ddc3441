// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/stability.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tsuji/observe/quantiles.h"

namespace tsuji::observe {
namespace {

constexpr std::size_t batches = 16;
constexpr double chance = 0.001;

Value known(bool is, double value) {
  return is ? Value(value) : Value(nullptr);
}

std::string name_of(const Stability& stability) {
  std::string name = std::to_string(stability.backlog.worst_source);
  if (stability.one_destination) name += "->" + std::to_string(stability.worst_destination);
  return name;
}

}  // namespace

SeriesGrowth series_growth(const std::vector<SeriesCell>& cells) {
  SeriesGrowth result;
  std::vector<SeriesCell> sums(batches);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    SeriesCell& batch = sums[i * batches / cells.size()];
    batch.packets += cells[i].packets;
    batch.sum += cells[i].sum;
  }
  std::vector<double> means;
  double mean = 0;
  for (const SeriesCell& batch : sums) {
    if (batch.packets == 0) return result;
    means.push_back(static_cast<double>(batch.sum) / static_cast<double>(batch.packets));
    mean += means.back() / batches;
  }
  // At its limit the mean latency wanders as a queue does, and a straight line through it has a slope: the
  // noise is that of a random walk with these steps.
  double squares = 0;
  for (std::size_t i = 1; i < batches; ++i) squares += (means[i] - means[i - 1]) * (means[i] - means[i - 1]);
  const double growth = means.back() - means.front();
  const double steps = batches - 1, step = growth / steps;
  const double noise = std::sqrt(std::max(0.0, squares - steps * step * step) / (steps - 1) * steps);
  result.known = true;
  result.share = mean > 0 ? growth / mean : 0;
  result.growth = noise > 0 ? growth / noise : 0;
  result.limit = student_quantile(chance, steps - 1);
  return result;
}

void Stability::decide(bool misses_packets, Cycle interval_cycles) {
  const auto undecided = [&](const char* why, double times) {
    verdict = Verdict::undecided;
    reason = why;
    needs_cycles = static_cast<Cycle>(std::ceil(static_cast<double>(interval_cycles) * std::max(times, 2.0)));
  };
  const auto saturates = [&](const char* why) {
    verdict = Verdict::saturated;
    reason = why;
  };
  needs_cycles = 0;
  if (backlog.offered == 0) {
    // Without packets, a longer run adds no information.
    verdict = Verdict::undecided;
    reason = "no packets";
    return;
  }
  if (backlog.kind == BacklogVerdict::Kind::few_packets || !latency.known)
    return undecided("few packets", 32.0 / static_cast<double>(std::max<std::uint64_t>(backlog.offered, 1)));
  if (backlog.kind == BacklogVerdict::Kind::growing) return saturates("the backlog of a source grows");
  if (1 - backlog.share > normal_quantile(chance) * backlog.share_noise)
    return saturates("the backlog of all sources grows");
  if (latency.grows()) return saturates("latency grows");
  if (misses_packets) return undecided("packets are missing", 2);
  if (backlog.kind == BacklogVerdict::Kind::undecided)
    return undecided("the backlog of a source may grow", backlog.decides_after);
  verdict = Verdict::stable;
  reason = "";
}

const char* Stability::word() const {
  switch (verdict) {
    case Verdict::stable:
      return "stable";
    case Verdict::saturated:
      return "saturated";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

void Stability::add_to(Results& results) const {
  const bool judged = backlog.kind != BacklogVerdict::Kind::few_packets;
  results.metric("stability", word(), "");
  results.metric("stability_reason", *reason == '\0' ? Value(nullptr) : Value(reason), "");
  results.metric("stability_needs_cycles", needs_cycles == 0 ? Value(nullptr) : Value(needs_cycles),
                 "cycles");
  results.metric("saturated", saturated() ? 1 : 0, "");
  results.metric("accepted_share_worst_source", known(judged, backlog.worst_share), "");
  results.metric("worst_source", judged ? Value(name_of(*this)) : Value(nullptr), "");
  results.metric("backlog_growth_packets", known(judged, backlog.growth_packets), "packets");
  results.metric("backlog_growth_over_noise", known(judged, backlog.growth), "");
  results.metric("waiting_packets_over_noise", known(judged, backlog.waiting), "");
  results.metric("latency_growth_share", known(latency.known, latency.share), "");
  results.metric("latency_growth_over_noise", known(latency.known, latency.growth), "");
  results.metric("latency_over_zero_load", known(over_zero_load > 0, over_zero_load), "");
}

}  // namespace tsuji::observe
