// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::observe::test {

inline nlohmann::ordered_json results_of(const LoadMeasurement& measurement, unsigned nodes) {
  Results results("test", "0", 1, nlohmann::ordered_json::object());
  measurement.metrics().add_to(results, nodes, 0, measurement.rate_cycles());
  measurement.add_to(results);
  CHECK(validate_result(results.to_json()).empty());
  return results.to_json();
}

inline nlohmann::ordered_json metric(const nlohmann::ordered_json& results, const char* name) {
  return results.at("metrics").at(name).at("value");
}

inline DeliveredPacket packet(NodeId source, std::uint32_t serial, NodeId destination, Cycle created,
                              Cycle injected, Cycle tail, unsigned flits, unsigned hops) {
  return {packet_id(source, serial), source, destination, created, injected, tail, tail, flits, hops};
}

inline MeasureConfig by_cycles(Cycle warmup, Cycle cycles, unsigned batches = 2) {
  MeasureConfig config;
  config.warmup_cycles = warmup;
  config.cycles = cycles;
  config.batches = batches;
  config.drain_cycles = 100;
  return config;
}

inline MeasureConfig by_arrivals(std::uint64_t first, std::uint64_t last, unsigned batches = 2) {
  MeasureConfig config;
  config.mode = MeasureMode::arrivals;
  config.first_arrival = first;
  config.last_arrival = last;
  config.batches = batches;
  return config;
}

}  // namespace tsuji::observe::test
