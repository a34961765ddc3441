// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"
#include "tsuji/lookup/cam.h"
#include "tsuji/lookup/energy.h"
#include "tsuji/lookup/key_hash.h"
#include "tsuji/lookup/lookup_kinds.h"
#include "tsuji/lookup/routing_table_cache.h"
#include "tsuji/routing/routing.h"

namespace tsuji::lookup {

/// Implementation of a switch's look-up hardware; both take equal cycles.
enum class LookupModel : std::uint8_t {
  fast,    ///< computed at a head's request
  modules  ///< modules with pins, clocked in every cycle
};
enum class WarmCaches : std::uint8_t { none, all };

/// Configuration of the route look-up (Hirasawa 2020).
struct LookupConfig {
  std::string kind = "local";  ///< a value of `kinds`
  LookupKinds kinds = lookup_kinds();
  LookupModel model = LookupModel::fast;
  LookupTiming timing;
  RoutingTableCacheConfig cache;
  LookupEnergy energy;
  std::string hash = "crc32c";
  Identifiers identifiers = Identifiers::random;
  std::uint64_t identifier_seed = 1;
  unsigned cam_entries = 65536;
  unsigned cam_key_bits = 64;
  Cycle cam_chip_cycles =
      4;  ///< access of the CAM chip; the path to the chip and back takes the rest of timing.cam_cycles
  WarmCaches warm = WarmCaches::none;

  /// False: a function or table in each router, with router.rc_cycles.
  bool in_switch() const { return kinds.traits(kind).in_switch; }
  bool has_caches() const { return kinds.traits(kind).caches; }
  bool searches() const { return kinds.traits(kind).searches; }
  bool as_modules() const { return model == LookupModel::modules; }
  /// True if a head's route and the cycle from which it may be used are known at its request.
  bool answers_at_request() const {
    return in_switch() && !as_modules() && !(kinds.traits(kind).queues && timing.cam_is_shared());
  }
  void validate() const;  ///< throws ConfigError
  /// ConfigError if the memory is too small for the network, if the routing (`routing_kind`, for the message)
  /// does not fit into a table, or if it has no compact tables to search.
  void validate_with(const graph::Topology& topology, const routing::Routing& routing,
                     const std::string& routing_kind) const;

 private:
  void validate_modules() const;
};

/// Adds the keys lookup.*.
void add_lookup_keys(config::KeyTable& keys, LookupConfig& config);

}  // namespace tsuji::lookup
