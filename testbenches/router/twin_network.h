// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network/network_rtl.h"
#include "tsuji/pins/pin_router.h"

namespace tsuji::bench {

/// ConfigError for a key whose value the twin was not made with, or of which it has nothing.
void check_twin(const router::PinRouterConfig& twin, const session::NetworkRunConfig& network);

}  // namespace tsuji::bench
