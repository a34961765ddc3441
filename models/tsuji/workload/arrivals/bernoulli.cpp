// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/arrivals/bernoulli.h"

namespace tsuji::workload {

void add_bernoulli(ArrivalKinds& kinds) {
  kinds.add<KeylessArrivals<BernoulliArrivals>>("bernoulli");
}

}  // namespace tsuji::workload
