// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network/network_rtl.h"
#include "tsuji/lookup/routing_table_cache.h"

// Refusals that RTL of look-up hardware shares.

namespace tsuji::bench {

/// ConfigError where switches' look-ups are not made of modules.
void want_modules(const session::NetworkRunConfig& network);
/// ConfigError for caches that the RTL does not have.
void want_caches(const session::NetworkRunConfig& network, const lookup::RoutingTableCacheConfig& of_rtl);

}  // namespace tsuji::bench
