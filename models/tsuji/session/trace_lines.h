// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/results/results.h"

namespace tsuji::session {

/// Adds the completed share of an interrupted trace's operations, instead of its ranks' times.
void add_share_done(double share, observe::Results& results);

}  // namespace tsuji::session
