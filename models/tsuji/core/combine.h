// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"

namespace tsuji {

/// Operation on the operands that synchronization packets carry, 64-bit words. The sum is modulo 2^64;
/// minimum and maximum are of signed numbers.
enum class Combine : std::uint8_t { sum, min, max };

/// Operation on the operand of a synchronization packet: bits 51:46 of its first header word.
constexpr Combine combine_of(const Packet& packet) {
  return static_cast<Combine>(packet.header[0] >> 46 & 0x3fU);
}

}  // namespace tsuji
