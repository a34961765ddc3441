#include <catch2/catch.hpp>

#include "tsuji/core/error.h"
#include "tsuji/crosspoint/config.h"

using namespace tsuji;
using crosspoint::CrosspointConfig;

namespace {

/// The key that is refused; empty if the switch can be built.
std::string refused(unsigned CrosspointConfig::*member, unsigned value, CrosspointConfig config = {}) {
  config.*member = value;
  try {
    config.validate();
  } catch (const ConfigError& error) {
    CHECK(error.value() == std::to_string(value));
    return error.key();
  }
  return "";
}

}  // namespace

TEST_CASE("sizes and times of a switch are taken up to their bounds, and refused beyond them") {
  CHECK(refused(&CrosspointConfig::ports, 1) == "switch.ports");
  CHECK(refused(&CrosspointConfig::ports, 2).empty());
  CHECK(refused(&CrosspointConfig::ports, 16).empty());
  CHECK(refused(&CrosspointConfig::ports, 17) == "switch.ports");
  CHECK(refused(&CrosspointConfig::fifo_packets, 0) == "switch.fifo_packets");
  CHECK(refused(&CrosspointConfig::fifo_packets, 1).empty());
  CHECK(refused(&CrosspointConfig::fifo_packets, 4).empty());
  CHECK(refused(&CrosspointConfig::fifo_packets, 5) == "switch.fifo_packets");
  CHECK(refused(&CrosspointConfig::single_cast_cycles, 1) == "switch.single_cast_cycles");
  CHECK(refused(&CrosspointConfig::single_cast_cycles, 2).empty());
  CHECK(refused(&CrosspointConfig::multicast_cycles, 1) == "switch.multicast_cycles");
  CHECK(refused(&CrosspointConfig::multicast_cycles, 2).empty());
  CHECK(refused(&CrosspointConfig::table_access_cycles, 0) == "switch.table_access_cycles");
  CHECK(refused(&CrosspointConfig::table_access_cycles, 1).empty());
  CHECK(refused(&CrosspointConfig::reserve_after, 0) == "switch.reserve_after");
  CHECK(refused(&CrosspointConfig::reserve_after, 1).empty());
}

TEST_CASE("a synchronization takes its table's access, a channel's cycle and one more at least") {
  CrosspointConfig config;
  config.table_access_cycles = 5;
  CHECK(refused(&CrosspointConfig::synchronization_cycles, 6, config) == "switch.synchronization_cycles");
  CHECK(refused(&CrosspointConfig::synchronization_cycles, 7, config).empty());
}
