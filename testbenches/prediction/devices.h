// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/device.h"
#include "prediction/crossbar_bench.h"
#include "prediction/crossbar_module.h"
#include "prediction/unit_module.h"

/// Rows of prediction_bench, with any RTL that has these pins instead of a twin: Twin is its Verilated
/// module. The parameters of the twins are set in CMakeLists.txt, where the twins are built.
namespace tsuji::bench {

template <class Twin>
Device crossbar_device(const char* name, const char* what, const router::CrossbarConfig& config) {
  return device<router::CrossbarModule, Twin, CrossbarStimulus>(name, what, CrossbarPins{}, config);
}

template <class Twin>
Device unit_device(const char* name, const char* what, const router::UnitConfig& config) {
  return device<router::UnitModule, Twin, UnitStimulus>(name, what, UnitPins{}, config);
}

namespace rows {

template <class Twin>
Device crossbar() {
  return crossbar_device<Twin>("crossbar", "5 ports, SA and flit of a cycle", {1, 1});
}
template <class Twin>
Device crossbar_slow() {
  return crossbar_device<Twin>("crossbar_slow", "5 ports, SA of 4 cycles, flits of 2", {4, 2});
}
template <class Twin>
Device straight() {
  Device row = unit_device<Twin>("straight", "crossbar with static predictors, input 3 without a prediction",
                                 {"straight", {2, 3, 4, router::no_port, 1}, {}});
  for (const char* const pin : {"held", "wanted", "sent", "predicted"})
    for (const char* const part : {"_valid[3]", "_port[3]"}) row.constant.push_back(std::string(pin) + part);
  return row;
}
template <class Twin>
Device latest_port() {
  return unit_device<Twin>("latest_port", "crossbar with predictors of the last head's port",
                           {"latest_port", {}, {}});
}
template <class Twin>
Device finite_context() {
  return unit_device<Twin>("finite_context", "crossbar with predictors by the ports of two heads",
                           {"finite_context", {}, {}});
}
template <class Twin>
Device last_destination() {
  return unit_device<Twin>("last_destination", "crossbar with predictors of 16 destinations",
                           {"last_destination", {}, {2, 3}});
}

}  // namespace rows
}  // namespace tsuji::bench
