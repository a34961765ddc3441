#include "tsuji/observe/warmup_watch.h"

namespace tsuji::observe {
namespace {

constexpr std::size_t cells_a_batch = 5, least_batches = 20;

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
  return found.batches >= least_batches && 2 * found.cut <= found.batches;
}

}  // namespace tsuji::observe
