// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/flit.h"
#include "tsuji/nic/packet_check.h"

namespace tsuji::machines {

/// The packet without its errors, with the words of map, header and payload that its check gave.
PacketRef repaired_packet(PacketPool& pool, const Packet& packet, const std::uint64_t* words);

/// Check between network and Receiver: generates the flits of a damaged packet and checks position bits, the
/// port flit's parity and the ECC (rooms/core.md, Where the paper is silent, 3). An undamaged packet costs
/// one comparison.
class PacketChecker final : public nic::PacketCheck {
 public:
  explicit PacketChecker(PacketPool& pool) : pool_(pool) {}
  nic::CheckResult check(const Packet& packet) override;

 private:
  PacketPool& pool_;
};

}  // namespace tsuji::machines
