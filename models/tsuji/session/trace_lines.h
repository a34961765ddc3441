// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/results/results.h"

namespace tsuji::session {

/// Adds the share of its operations that an interrupted trace has done, instead of its ranks' times.
void add_share_done(double share, observe::Results& results);

}  // namespace tsuji::session
