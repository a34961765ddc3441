// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tsuji/routing/detour/detour_check.h"

namespace tsuji::routing {

/// A generation of Detour-UD in full, for a checker that knows nothing of this project
/// (scripts/check_certificate): network, faults, what lives, fault regions, root, both tables, and for each
/// UD channel a number that rises along every hop that the up/down table permits. Members:
///
/// - `topology`: `routers`, `ports` of a router, `links` as [router, port, router, port] in the order of
/// their
///   numbers, `router_of_node`
/// - `faults`: dead `links` and `routers`; `cut_off`: routers that are unreachable
/// - `region_distance`, `region` (routers of all fault regions), `root` (of the tree), `paths` (up/down words
///   have `all` candidates or `one`)
/// - `tables.torus` per router of a region, `tables.up_down` per living router: hexadecimal words of all
///   destinations, bit p for port p, (ports + 3) / 4 digits each
/// - `numbers`: per living router a number for each port's UD channel; 0: unused
///
/// `verdict`: check_recovery()'s on the generation; it must hold, ModelError.
nlohmann::ordered_json detour_certificate(const graph::Topology& topology, const DetourGeneration& generation,
                                          const RecoveryVerdict& verdict);

}  // namespace tsuji::routing
