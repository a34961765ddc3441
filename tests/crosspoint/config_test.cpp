// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "support/catch.h"
#include "support/refusals.h"
#include "tsuji/crosspoint/config.h"

using namespace tsuji;
using crosspoint::CrosspointConfig;
using tsuji::test::check_bounds;

TEST_CASE("sizes and times of a switch are accepted up to their bounds, and refused beyond them") {
  CrosspointConfig config;
  constexpr unsigned most = std::numeric_limits<unsigned>::max();
  check_bounds("switch.ports", config, config.ports, 2, 16);
  check_bounds("switch.fifo_packets", config, config.fifo_packets, 1, 4);
  check_bounds("switch.single_cast_cycles", config, config.single_cast_cycles, 2, most);
  check_bounds("switch.multicast_cycles", config, config.multicast_cycles, 2, most);
  config.table_access_cycles = 0;
  CHECK(test::refused_key(config) == "switch.table_access_cycles");
  config.table_access_cycles = 1;
  CHECK(test::refused_key(config).empty());
  check_bounds("switch.reserve_after", config, config.reserve_after, 1, 255);
}

TEST_CASE("a synchronization takes at least its table's access, a channel's cycle and one more") {
  CrosspointConfig config;
  constexpr unsigned most = std::numeric_limits<unsigned>::max();
  config.table_access_cycles = 5;
  check_bounds("switch.synchronization_cycles", config, config.synchronization_cycles, 7, most);
}
