// SPDX-License-Identifier: Apache-2.0
#include <systemc>

#include "Vswitch_planted.h"
#include "lookup/switch_rtl.h"

using namespace tsuji;
using namespace tsuji::bench;

/// The RTL of network_bench with a bug in it (lookup/CMakeLists.txt).
int sc_main(int argc, char** argv) {
  NetworkRtlTable table;
  table.push_back(switch_rtl<Vswitch_planted>(
      "switch_4x4", "a look-up beside a fill of its set does not count as a use", {5, 4, 4}, {4, 2}));
  return rtl_network_main(argc, argv, table);
}
