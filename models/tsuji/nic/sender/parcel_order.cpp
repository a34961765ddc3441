// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/parcel_order.h"

namespace tsuji::nic {

bool ParcelOrder::may_go(unsigned index) const {
  const Candidate& own = candidates_[index];
  if (!own.waiting) return false;
  for (const Candidate& other : candidates_) {
    if (other.waiting && other.age < own.age && (other.port_bits & own.port_bits) != 0) return false;
  }
  return true;
}

ParcelOrder::Choice ParcelOrder::choose(std::uint32_t room) const {
  Choice choice;
  for (unsigned index = 0; index < max_registers; ++index) {
    if (!may_go(index)) continue;
    const Candidate& own = candidates_[index];
    const bool has_room = (own.port_bits & ~room) == 0;
    const bool better = choice.index < 0 || (has_room && !choice.has_room) ||
                        (has_room == choice.has_room && own.age < candidates_[choice.index].age);
    if (better) choice = {static_cast<int>(index), has_room};
  }
  return choice;
}

std::uint32_t ParcelOrder::wanted_ports() const {
  std::uint32_t ports = 0;
  for (unsigned index = 0; index < max_registers; ++index) {
    if (may_go(index)) ports |= candidates_[index].port_bits;
  }
  return ports;
}

}  // namespace tsuji::nic
