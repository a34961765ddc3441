// SPDX-License-Identifier: Apache-2.0
#include "common/pins.h"

namespace tsuji::bench {

void PinList::write_inputs(const std::vector<std::uint64_t>& row) {
  if (!alter_inputs_) return write(row);
  std::vector<std::uint64_t> altered = row;
  alter_inputs_(altered);
  write(altered);
}

void PinList::write(const std::vector<std::uint64_t>& row) {
  for (std::size_t pin = 0; pin < pins_.size(); ++pin)
    if (pins_[pin].input) wires_[pin]->write(row.data() + pins_[pin].at);
}

void PinList::read_outputs(std::vector<std::uint64_t>& row) const {
  for (std::size_t pin = 0; pin < pins_.size(); ++pin)
    if (!pins_[pin].input) wires_[pin]->read(row.data() + pins_[pin].at);
  if (alter_outputs_) alter_outputs_(row);
}

}  // namespace tsuji::bench
