// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/latency_groups.h"

namespace tsuji::observe {
namespace {

constexpr std::uint64_t dense_values = 64;

std::vector<ResultTable::Column> columns(const std::string& number, const std::string& unit) {
  return {{number, unit},
          {"packets", "packets"},
          {"latency_mean", "cycles"},
          {"latency_p50", "cycles"},
          {"latency_p99", "cycles"},
          {"latency_max", "cycles"}};
}

}  // namespace

void LatencyGroups::add_group(std::size_t at) {
  if (at >= groups_.size()) groups_.resize(at + 1);
  groups_[at] = std::make_unique<Histogram>(dense_values);
}

void LatencyGroups::add_by_hops(Results& results) const {
  ResultTable& table = results.table("hops", columns("hops", "routers"));
  add_rows(table, (groups_.size() + distances_ - 1) / distances_, false);
}

void LatencyGroups::add_by_distance(Results& results) const {
  add_rows(results.table("latency_by_distance", columns("distance", "links")), distances_, true);
}

void LatencyGroups::add_rows(ResultTable& table, std::size_t numbers, bool by_distance) const {
  std::vector<Histogram> of(numbers, Histogram(dense_values));
  for (std::size_t at = 0; at < groups_.size(); ++at)
    if (groups_[at] != nullptr) of[by_distance ? at % distances_ : at / distances_].merge(*groups_[at]);
  for (std::size_t i = 0; i < numbers; ++i) {
    if (of[i].count() == 0) continue;
    table.row({i, of[i].count(), of[i].mean(), of[i].percentile(500), of[i].percentile(990), of[i].max()});
  }
}

}  // namespace tsuji::observe
