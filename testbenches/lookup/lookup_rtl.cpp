// SPDX-License-Identifier: Apache-2.0
#include "lookup/lookup_rtl.h"

namespace tsuji::bench {

void want_modules(const session::NetworkRunConfig& network) {
  const lookup::LookupConfig& lookup = network.machine.lookup;
  want(lookup.in_switch(), "lookup.kind", lookup.kind, "cached");
  want(lookup.as_modules(), "lookup.model", "fast", "modules");
}

void want_caches(const session::NetworkRunConfig& network, const lookup::RoutingTableCacheConfig& of_rtl) {
  const lookup::LookupConfig& lookup = network.machine.lookup;
  want(lookup.kind == "cached", "lookup.kind", lookup.kind, "cached");
  want_number("lookup.cache_cycles", lookup.timing.cache_cycles, 1);
  want(lookup.warm == lookup::WarmCaches::none, "lookup.warm", "all", "none");
  want(!lookup.cache.classify_misses, "lookup.classify_misses", "true", "false");
  want(lookup.cache.replacement == of_rtl.replacement, "lookup.replacement", lookup.cache.replacement,
       of_rtl.replacement);
  want_number("lookup.entries", lookup.cache.entries, of_rtl.entries);
  want_number("lookup.ways", lookup.cache.ways, of_rtl.ways);
}

}  // namespace tsuji::bench
