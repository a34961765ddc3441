// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/saturation_search.h"

#include <algorithm>
#include <cmath>

namespace tsuji::platform {
namespace {

double between(double low, double high) {
  return std::round((low + high) / 2 * 1e6) / 1e6;
}

bool close_enough(double low, double high) {
  const double middle = between(low, high);
  return high - low <= SaturationSearch::apart * high + 1e-9 || middle <= low || middle >= high;
}

/// A power of two, so that runs of different searches are found again.
unsigned longer(unsigned times, double needs_times) {
  unsigned wanted = 2 * times;
  while (wanted < needs_times && wanted < SaturationSearch::longest) wanted *= 2;
  return wanted;
}

}  // namespace

void SaturationSearch::ended(const Run& run, LoadVerdict verdict, double needs_times) {
  ends_[run.load] = {verdict, needs_times, run.times};
}

std::optional<double> SaturationSearch::saturated() const {
  for (const auto& [load, end] : ends_)
    if (end.verdict == LoadVerdict::saturated) return load;
  return std::nullopt;
}

double SaturationSearch::stable() const {
  const double limit = saturated().value_or(2 * most_);
  double highest = 0;
  for (const auto& [load, end] : ends_)
    if (load < limit && end.verdict == LoadVerdict::stable) highest = load;
  return highest;
}

std::vector<double> SaturationSearch::undecided() const {
  const double low = stable(), high = saturated().value_or(2 * most_);
  std::vector<double> loads;
  for (const auto& [load, end] : ends_)
    if (load > low && load < high) loads.push_back(load);
  return loads;
}

std::vector<SaturationSearch::Run> SaturationSearch::next() const {
  const double low = stable();
  const std::optional<double> high = saturated();
  if (!high && ends_.count(most_) == 0) return {{most_, 1}};
  const std::vector<double> open = undecided();
  std::vector<Run> runs;
  for (const double load : open) {
    const End& end = ends_.at(load);
    if (lengthens_ && end.times < longest) runs.push_back({load, longer(end.times, end.needs_times)});
  }
  if (!runs.empty()) return runs;
  // An interval that no run decides remains in the middle, and both ends approach it as closely as possible.
  const double first = open.empty() ? high.value_or(low) : open.front();
  if (!close_enough(low, first)) runs.push_back({between(low, first), 1});
  if (!open.empty() && high && !close_enough(open.back(), *high))
    runs.push_back({between(open.back(), *high), 1});
  return runs;
}

bool goes_up(const std::vector<LoadVerdict>& ended) {
  return std::count(ended.begin(), ended.end(), LoadVerdict::saturated) < 2;
}

}  // namespace tsuji::platform
