// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/platform/machine_estimate.h"
#include "tsuji/session/cenju4/network_alone.h"

namespace tsuji::session {

/// Estimates memory and time of a machine, or of its network alone under a load, from its configuration.
platform::MachineEstimate estimate_of(const machines::Cenju4Config& machine, const NetworkAlone* load);

}  // namespace tsuji::session
