// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/stimulus.h"
#include "nic/packet_judge_module.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct PacketJudgeHandles {
  explicit PacketJudgeHandles(const Drive& pins)
      : reset(pins.input("reset")),
        node(pins.input("node")),
        in_head(pins.input("in_head")),
        in_kind(pins.input("in_kind")),
        in_flits(pins.input("in_flits")),
        in_valid(pins.input("in_valid")),
        in_flit(pins.input("in_flit")),
        verdict_take(pins.input("verdict_take")),
        word_valid(pins.output("word_valid")),
        word_number(pins.output("word_number")),
        word(pins.output("word")),
        verdict_valid(pins.output("verdict_valid")),
        verdict(pins.output("verdict")),
        verdict_corrected(pins.output("verdict_corrected")) {}
  std::size_t reset, node, in_head, in_kind, in_flits, in_valid, in_flit, verdict_take;
  std::size_t word_valid, word_number, word, verdict_valid, verdict, verdict_corrected;
};

struct PacketJudgePins {
  template <class Module>
  void list(Module& module, PinList& pins) const {
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("node", 10, module.node);
    pins.in("in_head", 1, module.in_head);
    pins.in("in_kind", 2, module.in_kind);
    pins.in("in_flits", 7, module.in_flits);
    pins.in("in_valid", 1, module.in_valid);
    pins.in("in_flit", 28, module.in_flit);
    pins.out("word_valid", 1, module.word_valid);
    pins.out("word_number", 6, module.word_number);
    pins.out("word", 64, module.word);
    pins.out("verdict_valid", 1, module.verdict_valid);
    pins.out("verdict", 3, module.verdict);
    pins.out("verdict_corrected", 6, module.verdict_corrected);
    pins.in("verdict_take", 1, module.verdict_take);
  }
};

/// Stimulus: packets of all kinds and lengths, 0 and the largest among them, one after the other or with
/// gaps; damaged by one, two or three bits of a word, by single bits of many words, in check bits, in words
/// that fill the header, in the port flit, in position and parity bits; with flits lost, doubled or
/// exchanged; for other nodes; a Receiver that takes verdicts at once, late or not at all; resets within
/// packets.
class PacketJudgeStimulus final : public Stimulus {
 public:
  PacketJudgeStimulus(const Drive& pins, std::uint64_t seed, const nic::PacketJudgeConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  struct Arriving {
    bool valid = true;
    FlitBits flit = 0;
  };
  void restart(Drive& pins);
  void start(Cycle cycle, Drive& pins);
  void address(Packet& packet);
  void spell(const Packet& packet);
  void damage(const Packet& packet);
  void damage_words(const Packet& packet, unsigned words, unsigned bits);
  void damage_each_word(const Packet& packet, unsigned among);
  void damage_order();
  unsigned any_word_flit(const Packet& packet);
  bool takes(Cycle cycle);
  unsigned below(unsigned count) { return static_cast<unsigned>(random_.below(count)); }

  const nic::PacketJudgeConfig config_;
  CounterRandom random_;
  PacketPool pool_;
  const PacketJudgeHandles at_;
  unsigned node_ = 0;
  std::vector<Arriving> flits_;  ///< of the packet that arrives
  std::size_t next_ = 0;
  Cycle starts_at_ = 0;
  unsigned unjudged_ = 0;  ///< packets that have begun, and whose verdict has not been taken
};

}  // namespace tsuji::bench
