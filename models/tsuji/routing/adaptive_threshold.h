// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"

namespace tsuji::routing {

/// Default of routing.adaptive_threshold, in flits times hops.
inline constexpr unsigned default_adaptive_threshold = 30;

/// Binds routing.adaptive_threshold, which several kinds of routing read.
void add_adaptive_threshold(config::KeyTable& keys, unsigned& adaptive_threshold);

}  // namespace tsuji::routing
