// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"

namespace tsuji::nic {

enum class CheckVerdict : std::uint8_t { ok, corrected, dropped };

/// Reason for which a packet was dropped (rooms/nic.md, Where the paper is silent, 12).
/// - `misrouted`: a switch read a damaged map, and the corrected map does not contain this node;
/// - `impossible`: the packet has more errors than the check can detect, passed it, and its header is one
///   that no node sends or that refers to a resource that does not exist;
/// - `refused`: the packet is undamaged and violates its task's protection (rooms/nic.md, Protection and
/// events).
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
  ReceiverDropCause cause = ReceiverDropCause::uncorrectable;  ///< Valid for dropped packets only.
  /// The packet with corrected words if it was damaged; null: the packet is unchanged.
  PacketRef repaired;
};

/// True if `node` is a destination of the packet, by the words that its Receiver reads: the node of a single
/// cast, map and group of a multicast, the map of a synchronization.
bool is_destination(const Packet& packet, NodeId node);

/// Error check between the network and the Receiver: ECC of the words, parity and position bits of the flits.
/// It judges a whole packet before any part is written; without a check, every packet is accepted.
class PacketCheck {
 public:
  virtual ~PacketCheck() = default;
  virtual CheckResult check(const Packet& packet) = 0;
};

}  // namespace tsuji::nic
