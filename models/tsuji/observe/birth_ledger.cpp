// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/birth_ledger.h"

#include "tsuji/core/error.h"

namespace tsuji::observe {

void BirthLedger::grow(Source& source) {
  Source larger;
  larger.capacity = source.capacity == 0 ? 4 : 2 * source.capacity;
  larger.ring = std::make_unique<Cycle[]>(larger.capacity);
  for (std::uint32_t serial = source.first; serial != source.next; ++serial) {
    larger.at(serial) = source.at(serial);
  }
  source.ring.swap(larger.ring);
  source.capacity = larger.capacity;
}

void BirthLedger::refuse(PacketId id, Cycle now) const {
  throw ModelError(part_, now, packet_name(id),
                   "left the network without being in it: it left twice, or was never injected");
}

}  // namespace tsuji::observe
