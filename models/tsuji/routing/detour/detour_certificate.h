// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tsuji/routing/detour/detour_check.h"

namespace tsuji::routing {

/// A generation of Detour-UD in full, for a checker that knows nothing of this project
/// (scripts/check_certificate): network, faults, what lives, fault regions, root, both tables, and for each
/// UD channel a number that rises along every hop that the up/down table permits. README.md, The deadlock
/// checker, has the format. `verdict`: check_recovery()'s on the generation; it must hold, ModelError.
nlohmann::ordered_json detour_certificate(const graph::Topology& topology, const DetourGeneration& generation,
                                          const RecoveryVerdict& verdict);

}  // namespace tsuji::routing
