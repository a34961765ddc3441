// SPDX-License-Identifier: Apache-2.0
#include "Vcancel_answered.h"
#include "Vdecision_back.h"
#include "Vdecision_half.h"
#include "Vdecision_recovery.h"
#include "Vport_is_free.h"
#include "Vtable_no_turn.h"
#include "Vtimer_in_recovery.h"
#include "Vtimer_to_node.h"
#include "common/bench_main.h"
#include "detour/devices.h"

using namespace tsuji::bench;

namespace {

/// Devices of detour_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  return {
      planted(rows::table_port<Vtable_no_turn>(), "table_no_turn",
              "the requesting line with the lowest number gets its read port"),
      planted(rows::table_port<Vcancel_answered>(), "cancel_answered",
              "an answer in flight is delivered to a line that has cancelled its request"),
      planted(rows::table_port_busy<Vport_is_free>(), "port_is_free", "a port reads while it is busy"),
      planted(rows::block_timer<Vtimer_to_node>(), "timer_to_node", "heads that wait for their node expire"),
      planted(rows::block_timer<Vtimer_in_recovery>(), "timer_in_recovery", "heads in recovery expire"),
      planted(rows::decision<Vdecision_back>(), "decision_back",
              "a head may turn back although it has other candidates"),
      planted(rows::decision<Vdecision_half>(), "decision_half",
              "a destination half a ring away has one candidate instead of two"),
      planted(rows::decision_mesh<Vdecision_recovery>(), "decision_recovery",
              "heads in recovery get FA channels as candidates, too"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
