// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tsuji/routing/detour/detour_check.h"

namespace tsuji::routing {

/// Complete data of a generation of Detour-UD, for an independent checker (scripts/check_certificate):
/// network, faults, living parts, fault regions, root, both tables, and for each UD channel a number that
/// rises along every hop that the up/down table permits. scripts/check_certificate.py reads every member.
/// `verdict` is check_recovery()'s for the generation; ModelError if it does not hold.
nlohmann::ordered_json detour_certificate(const graph::Topology& topology, const DetourGeneration& generation,
                                          const RecoveryVerdict& verdict);

}  // namespace tsuji::routing
