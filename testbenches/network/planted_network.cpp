// SPDX-License-Identifier: Apache-2.0
#include <systemc.h>  // as Verilator wants it

#include "Vcache_4_planted.h"
#include "Vswitch_planted.h"
#include "lookup/cache_rtl.h"
#include "lookup/switch_rtl.h"

using namespace tsuji;
using namespace tsuji::bench;

/// The RTL of network_bench with a bug in it (lookup/CMakeLists.txt).
int sc_main(int argc, char** argv) {
  const lookup::RoutingTableCacheConfig cache{4, 2};
  const char* const bug = "a look-up beside a fill of its set does not count as a use";
  NetworkRtlTable table;
  table.push_back(switch_rtl<Vswitch_planted>("switch_4x4", bug, {5, 4, 4}, cache));
  table.push_back(cache_rtl<Vcache_4_planted>("cache_4", bug, cache));
  return rtl_network_main(argc, argv, table, [&](session::NetworkRunConfig& network) {
    network.machine.lookup.kind = "cached";
    network.machine.lookup.cache = cache;
  });
}
