// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "nic/checked_words.h"
#include "nic/packet_judge_bench.h"
#include "tsuji/core/units.h"

namespace tsuji::bench {

/// Rules of the check of arriving packets (Kanoh 2000, 4.3; rooms/core.md), by the flits at the pins: every
/// packet is judged in the cycle after its last flit, in order, and the verdict remains until it is taken;
/// position codes, parity and check bits decide, single errors are corrected, and a packet for another node
/// is not accepted.
class PacketJudgeRules final : public Scoreboard {
 public:
  PacketJudgeRules(const Drive& pins, const nic::PacketJudgeConfig& config);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  using Lines = std::vector<std::string>;
  struct Packet {
    unsigned kind = 0, length = 0;
    std::vector<std::uint32_t> flits;  ///< those that have come
    bool lost = false;
  };
  struct Verdict {
    unsigned code = 0, corrected = 0;
  };
  void take(const Sample& pins);
  Verdict verdict_of(const Packet& packet, unsigned node) const;
  bool ordered(const Packet& packet) const;
  unsigned header_flits(unsigned kind) const;
  CheckedWord read(const Packet& packet, unsigned first) const { return words_.read(&packet.flits[first]); }
  bool named(const Packet& packet, unsigned node) const;
  void judge_word(const Sample& pins, Lines& broken);

  const nic::PacketJudgeConfig config_;
  const PacketJudgeHandles at_;
  const CheckedWords words_;
  Packet packet_;
  unsigned cycles_ = 0;  ///< of the packet that arrives; 0: none
  std::deque<Verdict> waiting_;
  bool shows_ = false;  ///< A word of three flits came in the cycle before.
  CheckedWord shown_;
};

}  // namespace tsuji::bench
