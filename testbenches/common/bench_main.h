// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/device.h"

namespace tsuji::bench {

/// The command line of a bench over its table of devices. Exit status 0: all outputs equal; 1: a difference,
/// or an output that never moved in a run of 10,000 cycles or more; 2: input that is refused.
int bench_main(int argc, char** argv, const std::vector<Device>& devices);

}  // namespace tsuji::bench
