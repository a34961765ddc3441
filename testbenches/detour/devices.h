// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/device.h"
#include "detour/block_timer_bench.h"
#include "detour/decision_bench.h"
#include "detour/decision_judge.h"
#include "detour/table_port_bench.h"
#include "detour/table_port_judge.h"

/// Rows of detour_bench, with any RTL that has the pins of a twin and replaces it: Twin is its Verilated
/// module, or NoTwin.
namespace tsuji::bench {

template <class Twin>
Device table_port_device(const char* name, const char* what, const lookup::PortedTableTiming& timing) {
  return judged<TablePortJudge>(
      device<lookup::TablePortModule, Twin, TablePortStimulus>(name, what, TablePortPins{}, timing), timing);
}

template <class Twin>
Device block_timer_device(const char* name, const char* what, Cycle timeout_cycles) {
  return judged<BlockTimerJudge>(device<router::BlockTimerModule, Twin, BlockTimerStimulus>(
                                     name, what, BlockTimerPins{}, timeout_cycles),
                                 timeout_cycles);
}

template <class Twin>
Device decision_device(const char* name, const char* what, const routing::DecisionConfig& config) {
  return judged<DecisionJudge>(
      device<routing::DecisionModule, Twin, DecisionStimulus>(name, what, DecisionPins{}, config), config);
}

namespace rows {

template <class Twin>
Device table_port() {
  return table_port_device<Twin>("table_port", "2 read ports for 18 lines, a read a cycle, answers after 5",
                                 {1, 5, 2, true});
}
template <class Twin>
Device table_port_busy() {
  return table_port_device<Twin>("table_port_busy", "decode of 2 cycles, ports that are busy for reads of 3",
                                 {2, 3, 2, false});
}
template <class Twin>
Device block_timer() {
  return block_timer_device<Twin>("block_timer", "18 inputs, 128 cycles", 128);
}
template <class Twin>
Device block_timer_short() {
  return block_timer_device<Twin>("block_timer_short", "18 inputs, 3 cycles", 3);
}
template <class Twin>
Device decision() {
  return decision_device<Twin>("decision", "10x10 torus, 8 sets of faults", {{10, 10}, true});
}
template <class Twin>
Device decision_odd() {
  return decision_device<Twin>("decision_odd", "7x4 torus, 8 sets of faults", {{7, 4}, true});
}
template <class Twin>
Device decision_mesh() {
  return decision_device<Twin>("decision_mesh", "6x7 mesh, 8 sets of faults", {{6, 7}, false});
}

}  // namespace rows
}  // namespace tsuji::bench
