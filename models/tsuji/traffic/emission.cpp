// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

bool ListedEmissions::next(Emission& emission) {
  if (next_ == list_.size()) return false;
  emission = list_[next_++];
  return true;
}

std::uint64_t payload_word(PacketId id, unsigned word) {
  std::uint64_t mixed = id * 0x9e3779b97f4a7c15ULL + word;
  mixed ^= mixed >> 29;
  return mixed * 0xbf58476d1ce4e5b9ULL;
}

}  // namespace tsuji::traffic
