// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/rank_wait.h"

namespace tsuji::host {

/// A processor's program: one object for each rank, run by the processor's own thread.
class RankProgram {
 public:
  virtual ~RankProgram() = default;
  virtual void run() = 0;
  virtual workload::RankState state() const = 0;
};

}  // namespace tsuji::host
