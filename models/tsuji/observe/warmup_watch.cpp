// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/warmup_watch.h"

#include <algorithm>
#include <cmath>

namespace tsuji::observe {
namespace {

constexpr std::size_t cells_a_batch = 5, least_batches = 20;
/// Looks at short runs are many, and each is a chance to be wrong: where no source has offered many packets,
/// they ask for less.
constexpr double early_waiting = 0.1, many_packets = 200;
/// An occasional packet is no queue.
constexpr double fewest_packets = 16;

}  // namespace

MserCut mser5(const std::vector<SeriesCell>& cells) {
  std::vector<double> means;
  SeriesCell batch;
  std::size_t filled = 0;
  for (const SeriesCell& cell : cells) {
    if (cell.packets == 0) continue;
    batch.packets += cell.packets;
    batch.sum += cell.sum;
    if (++filled % cells_a_batch != 0) continue;
    means.push_back(static_cast<double>(batch.sum) / static_cast<double>(batch.packets));
    batch = {};
  }
  MserCut result;
  result.batches = means.size();
  double sum = 0, squares = 0, least = -1;
  for (std::size_t left = 1; left <= means.size(); ++left) {
    const double value = means[means.size() - left];
    // Deviations from the last value: numbers stay small.
    const double deviation = value - means.back();
    sum += deviation;
    squares += deviation * deviation;
    if (left < cells_a_batch) continue;
    const auto count = static_cast<double>(left);
    const double statistic = (squares - sum * sum / count) / (count * count);
    if (least >= 0 && statistic > least) continue;
    least = statistic;
    result.cut = means.size() - left;
  }
  return result;
}

void WarmupWatch::lengthen_cells() {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (i % 2 == 0) {
      cells_[i / 2] = cells_[i];
    } else {
      cells_[i / 2].packets += cells_[i].packets;
      cells_[i / 2].sum += cells_[i].sum;
    }
  }
  cells_.resize((cells_.size() + 1) / 2);
  cell_cycles_ *= 2;
}

bool WarmupWatch::stationary(Cycle now) {
  next_check_ = now + now / 4;
  const std::size_t whole = now / cell_cycles_;
  std::vector<SeriesCell> seen = cells_;
  if (seen.size() > whole) seen.resize(whole);
  const MserCut found = mser5(seen);
  if (found.batches < least_batches || 2 * found.cut > found.batches) return false;
  return backlog_.below_limit(now, hops_.undisturbed());
}

void BacklogHistory::lengthen_parts() {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell moved = cells_[i];
    cells_[i] = {};
    const std::size_t part = i % parts;
    Cell& into = cells_[i - part + part / 2];
    into.offered += moved.offered;
    into.ended += moved.ended;
    into.hops += moved.hops;
    into.packet_cycles += moved.packet_cycles;
    // Packets of the first of two parts count through the second, too.
    if (part % 2 == 0) {
      into.packet_cycles +=
          (std::int64_t{moved.offered} - std::int64_t{moved.ended}) * static_cast<std::int64_t>(part_cycles_);
    }
  }
  part_cycles_ *= 2;
}

/// Variance of the number of packets that a source offers over that number, from all sources: 1 where they
/// come independently of each other, and never taken to be less, as the network's own queues have chance
/// in them even where the sources have none.
double BacklogHistory::dispersion(std::size_t from, std::size_t to) const {
  const auto count = static_cast<double>(to - from);
  double squares = 0, offered = 0;
  for (unsigned source = 0; source < sources_; ++source) {
    const Cell* of = &cells_[std::size_t{source} * parts];
    double sum = 0, sum_squares = 0;
    for (std::size_t part = from; part < to; ++part) {
      sum += of[part].offered;
      sum_squares += static_cast<double>(of[part].offered) * of[part].offered;
    }
    squares += (sum_squares - sum * sum / count) * count / (count - 1);
    offered += sum;
  }
  return offered > 0 ? std::max(1.0, squares / offered) : 1.0;
}

double BacklogHistory::packet_cycles(const Cell* of_source, std::size_t from, std::size_t to) const {
  std::int64_t inside = 0, cycles = 0;
  for (std::size_t part = 0; part < to; ++part) {
    const Cell& of = of_source[part];
    if (part >= from) cycles += inside * static_cast<std::int64_t>(part_cycles_) + of.packet_cycles;
    inside += std::int64_t{of.offered} - std::int64_t{of.ended};
  }
  return static_cast<double>(cycles);
}

bool BacklogHistory::below_limit(Cycle now, const UndisturbedLatency& undisturbed) const {
  const std::size_t to = std::min<std::size_t>(parts, now / part_cycles_), from = to / 2;
  if (to - from < least_parts) return false;
  const auto cycles = static_cast<double>((to - from) * part_cycles_);
  const double dispersed = dispersion(from, to);
  double worst = 0, most_offered = 0;
  for (unsigned source = 0; source < sources_; ++source) {
    const Cell* of_source = &cells_[std::size_t{source} * parts];
    double offered = 0, undisturbed_cycles = 0;
    for (std::size_t part = from; part < to; ++part) {
      offered += of_source[part].offered;
      undisturbed_cycles += undisturbed.cycles * of_source[part].ended +
                            undisturbed.cycles_a_hop * static_cast<double>(of_source[part].hops);
    }
    const double waiting = (packet_cycles(of_source, from, to) - undisturbed_cycles) / cycles;
    worst = std::max(worst, waiting / std::sqrt(std::max(fewest_packets, dispersed * offered)));
    most_offered = std::max(most_offered, offered);
  }
  return worst < (most_offered < many_packets ? early_waiting : critical_waiting);
}

}  // namespace tsuji::observe
