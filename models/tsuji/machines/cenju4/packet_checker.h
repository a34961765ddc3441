// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/flit.h"
#include "tsuji/nic/packet_check.h"

namespace tsuji::machines {

/// Check between network and Receiver: generates the flits of a damaged packet and checks position bits, the
/// port flit's parity and the ECC (rooms/core.md, Where the paper is silent, 3). An undamaged packet costs
/// one comparison.
class PacketChecker final : public nic::PacketCheck {
 public:
  explicit PacketChecker(PacketPool& pool) : pool_(pool) {}
  nic::CheckResult check(const Packet& packet) override;

 private:
  PacketRef repair(const Packet& packet, const FlitJudgement& judgement);
  PacketPool& pool_;
};

}  // namespace tsuji::machines
