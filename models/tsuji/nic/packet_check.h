// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"

namespace tsuji::nic {

enum class CheckVerdict : std::uint8_t { ok, corrected, dropped };

/// Why a packet was dropped (rooms/nic.md, Where the paper is silent, 12).
/// `misrouted`: a switch read a damaged map, and the corrected one does not name this node.
/// `impossible`: hit more often than the check can see, the packet passed it with a header that nobody sends
/// or that asks for what is not there.
/// `refused`: undamaged, it asks for what its task may not have (rooms/nic.md, Protection and events).
enum class ReceiverDropCause : std::uint8_t {
  uncorrectable,
  parity,
  position,
  misrouted,
  impossible,
  refused
};
inline constexpr unsigned receiver_drop_causes = 6;

struct CheckResult {
  CheckVerdict verdict = CheckVerdict::ok;
  ReceiverDropCause cause = ReceiverDropCause::uncorrectable;  ///< meant for dropped packets only
  /// The packet with corrected words, where it was damaged; null: the packet as it came.
  PacketRef repaired;
};

/// The check between the network and the Receiver: ECC of the words, parity and position bits of the flits.
/// It judges a whole packet before anything of it is written; without one every packet is taken as it is.
class PacketCheck {
 public:
  virtual ~PacketCheck() = default;
  virtual CheckResult check(const Packet& packet) = 0;
};

}  // namespace tsuji::nic
