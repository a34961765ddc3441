// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/header_registers.h"

#include <algorithm>

namespace tsuji::nic {

unsigned HeaderRegisters::claim() {
  const auto place = std::find_if(parcels_.begin(), parcels_.end(),
                                  [](const ParcelState& p) { return p.stage == ParcelState::Stage::free; });
  *place = {};
  place->stage = ParcelState::Stage::loading;
  ++used_;
  return static_cast<unsigned>(place - parcels_.begin());
}

void HeaderRegisters::enter(unsigned index, Cycle now) {
  ParcelState& parcel = parcels_[index];
  parcel.stage = ParcelState::Stage::sending;
  sending_ |= 1U << index;
  parcel.age = ages_++;
  parcel.created = now;
  order_[index] = {true, parcel.age, parcel.port_bits};
}

void HeaderRegisters::cut_through(unsigned index) {
  parcels_[index].stage = ParcelState::Stage::leaving;
  sending_ &= ~(1U << index);
  ++leaving_;
  order_[index].waiting = false;
}

void HeaderRegisters::release(unsigned index) {
  if (parcels_[index].stage == ParcelState::Stage::leaving) --leaving_;
  parcels_[index].stage = ParcelState::Stage::free;
  --used_;
}

int HeaderRegisters::oldest_that_left(Cycle now) const {
  int found = -1;
  for (unsigned index = 0; index < parcels_.size(); ++index) {
    const ParcelState& parcel = parcels_[index];
    if (parcel.stage != ParcelState::Stage::leaving || parcel.left_at > now) continue;
    if (found < 0 || parcel.age < parcels_[found].age) found = static_cast<int>(index);
  }
  return found;
}

bool HeaderRegisters::holds(unsigned set) const {
  return std::any_of(parcels_.begin(), parcels_.end(), [&](const ParcelState& parcel) {
    return parcel.stage != ParcelState::Stage::free && parcel.set == set;
  });
}

Cycle HeaderRegisters::next_to_leave() const {
  Cycle at = never;
  for (const ParcelState& parcel : parcels_) {
    if (parcel.stage == ParcelState::Stage::leaving) at = std::min(at, parcel.left_at);
  }
  return at;
}

}  // namespace tsuji::nic
