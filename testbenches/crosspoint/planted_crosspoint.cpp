// SPDX-License-Identifier: Apache-2.0
#include "Vearly_lost.h"
#include "Vhighest_fifo.h"
#include "Vroom_late.h"
#include "common/bench_main.h"
#include "crosspoint/devices.h"

using namespace tsuji::bench;

namespace {

/// Devices of crosspoint_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  return {
      planted(rows::crosspoint_2<Vroom_late>(), "room_late",
              "the room wire does not count the packet that arrives"),
      planted(rows::crosspoint_2<Vearly_lost>(), "early_lost",
              "a packet for the next round is counted for this one"),
      planted(rows::crosspoint_2<Vhighest_fifo>(), "highest_fifo",
              "a synchronization enters all FIFOs that it needs"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
