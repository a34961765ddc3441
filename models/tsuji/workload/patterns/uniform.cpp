// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/patterns/uniform.h"

namespace tsuji::workload {

void add_uniform(PatternKinds& kinds) {
  kinds.add<NoParameters<UniformPattern::make>>("uniform");
}

}  // namespace tsuji::workload
