// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/arrival_kinds.h"

namespace tsuji::workload {
namespace {

/// One every 1 / rate cycles, rounded down arrival by arrival so that the mean is exact. The first comes in a
/// random cycle of the first period, or all nodes would send at once.
class PeriodicArrivals final : public ArrivalProcess {
 public:
  explicit PeriodicArrivals(double rate) : period_(1.0 / rate) {}
  Cycle gap(CounterRandom& random) override {
    if (count_ == 0) phase_ = 1 + random.below(static_cast<std::uint64_t>(period_));
    const Cycle at = phase_ + static_cast<Cycle>(static_cast<double>(count_) * period_);
    ++count_;
    const Cycle since = at - last_;
    last_ = at;
    return since;
  }

 private:
  const double period_;
  std::uint64_t count_ = 0;
  Cycle phase_ = 0, last_ = 0;
};

}  // namespace

void add_periodic(ArrivalKinds& kinds) {
  kinds.add<KeylessArrivals<PeriodicArrivals>>("periodic");
}

}  // namespace tsuji::workload
