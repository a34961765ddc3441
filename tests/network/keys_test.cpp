// SPDX-License-Identifier: Apache-2.0
#include "support/committed_keys.h"
#include "tsuji/machines/replay/trace_replay.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/rails_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/traffic/open_loop.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;

TEST_CASE("the keys of a network and its traffic have the committed facts") {
  NetworkConfig network;
  TrafficConfig traffic;
  observe::MeasureConfig measure;
  traffic::RetryConfig retry;
  TraceReplayConfig replay;
  const std::string sections =
      " clock_period_ps topology link router prediction routing lookup run faults deadlock traffic measure "
      "retry "
      "node collectives ";
  tsuji::test::check_committed_keys("network", sections, [&](config::KeyTable& keys) {
    add_network_keys(keys, network);
    add_network_fault_keys(keys, network);
    add_network_deadlock_keys(keys, network);
    traffic.of<traffic::OpenLoopConfig>().most_load = RailsConfig::most;
    add_traffic_keys(keys, traffic);
    measure.add_keys(keys);
    measure_whole_lists(keys);
    retry.add_keys(keys);
    add_placement_keys(keys, replay.places);
    add_packetizer_keys(keys, replay);
    add_replay_keys(keys, replay);
  });
}
