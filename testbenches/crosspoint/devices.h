// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/device.h"
#include "crosspoint/crosspoint_bench.h"
#include "crosspoint/crosspoint_judge.h"
#include "crosspoint/crosspoint_module.h"

/// Rows of crosspoint_bench, with any RTL that has the pins of a twin and replaces it: Twin is its Verilated
/// module, or NoTwin.
namespace tsuji::bench {

template <class Twin>
Device crosspoint_device(const char* name, const char* what, const crosspoint::CrosspointConfig& config) {
  return judged<CrosspointJudge>(device<crosspoint::CrosspointModule, Twin, CrosspointStimulus>(
                                     name, what, CrosspointPins{config.ports}, config),
                                 config);
}

namespace rows {

template <class Twin>
Device crosspoint() {
  return crosspoint_device<Twin>("crosspoint", "4 x 4, the times of Cenju-4", {});
}
template <class Twin>
Device crosspoint_2() {
  crosspoint::CrosspointConfig config;
  config.ports = 2;
  config.fifo_packets = 1;
  config.single_cast_cycles = 3;
  config.multicast_cycles = 6;
  config.synchronization_cycles = 12;
  config.table_access_cycles = 1;
  config.reserve_after = 1;
  return crosspoint_device<Twin>("crosspoint_2", "2 x 2, FIFOs of one packet, the shortest times", config);
}
template <class Twin>
Device crosspoint_3() {
  crosspoint::CrosspointConfig config;
  config.ports = 3;
  config.fifo_packets = 3;
  config.single_cast_cycles = 5;
  config.multicast_cycles = 9;
  config.synchronization_cycles = 20;
  config.table_access_cycles = 4;
  config.reserve_after = 2;
  return crosspoint_device<Twin>("crosspoint_3", "3 x 3, FIFOs of three packets", config);
}

}  // namespace rows
}  // namespace tsuji::bench
