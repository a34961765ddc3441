// SPDX-License-Identifier: Apache-2.0
#include "common/stimulus.h"

#include "tsuji/core/error.h"

namespace tsuji::bench {

Drive::Drive(const PinList& like)
    : pins_(like.pins()), inputs_(like.input_lanes()), outputs_(like.output_lanes()) {}

std::size_t Drive::find(const char* name, bool input) const {
  for (const Pin& pin : pins_)
    if (pin.input == input && pin.name == name) return pin.at;
  throw ModelError("bench", std::string("the device has no ") + (input ? "input " : "output ") + name);
}

}  // namespace tsuji::bench
