// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/device.h"

#include <algorithm>
#include <cstdio>

#include "tsuji/core/error.h"

namespace tsuji::pins {

const Pin* Device::find(const std::string& name) const {
  const auto found =
      std::find_if(pins_.begin(), pins_.end(), [&](const Pin& pin) { return pin.name == name; });
  return found == pins_.end() ? nullptr : &*found;
}

std::size_t Device::add(const char* name, unsigned width_bits, unsigned lanes, bool input) {
  std::vector<std::uint64_t>& row = input ? inputs_ : outputs_;
  const std::size_t at = row.size();
  pins_.push_back({name, width_bits, lanes, input, at});
  row.resize(at + lanes);
  return at;
}

std::size_t Device::add_input(const char* name, unsigned width_bits, unsigned lanes) {
  return add(name, width_bits, lanes, true);
}

std::size_t Device::add_output(const char* name, unsigned width_bits, unsigned lanes) {
  return add(name, width_bits, lanes, false);
}

void Device::refuse_wide() const {
  for (const Pin& pin : pins_) {
    for (unsigned lane = 0; pin.input && lane < pin.lanes; ++lane) {
      const std::uint64_t value = inputs_[pin.at + lane];
      if ((value & bits_above(pin.width_bits)) == 0) continue;
      const std::string place = "pin " + pin.name + "[" + std::to_string(lane) + "]";
      if (value == unknown_lane) throw ModelError(place, cycle_, "", "the value has unknown bits (X or Z)");
      char text[24];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
      throw ModelError(place, cycle_, "",
                       std::string("the value ") + text + " has more than " + std::to_string(pin.width_bits) +
                           (pin.width_bits == 1 ? " bit" : " bits"));
    }
  }
  throw ModelError("pins", cycle_, "", "a value is wider than its pin");
}

}  // namespace tsuji::pins
