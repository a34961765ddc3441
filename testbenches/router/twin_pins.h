// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/pins/pin_router.h"
#include "router/router_rtl.h"

namespace tsuji::bench {

/// Describes the pins of vc_router.v with these parameters: `rtl.pins` are named as in README.md.
void describe_twin(RouterRtl& rtl, const router::PinRouterConfig& twin, const std::string& name);

}  // namespace tsuji::bench
