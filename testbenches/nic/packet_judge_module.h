// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "tsuji/core/flit.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::nic {

/// Configuration of the check of arriving packets.
struct PacketJudgeConfig {
  PacketSizes sizes;
  unsigned slots = 2;  ///< Packets that wait for the Receiver, 1..8.
};

/// Verdict of the Receiver about a packet, numbered as at the pins.
enum class PacketVerdict : std::uint8_t { accepted, corrected, double_bit, parity, position, elsewhere };

/// The Receiver's check of packets with pins: judge_flits() and is_destination(), as Receiver and
/// PacketChecker call them in the cycle after the last flit. Words appear as their flits come.
class PacketJudgeModule final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<std::uint32_t> node{"node"};
  sc_core::sc_in<bool> in_head{"in_head"};
  sc_core::sc_in<std::uint32_t> in_kind{"in_kind"};
  sc_core::sc_in<std::uint32_t> in_flits{"in_flits"};
  sc_core::sc_in<bool> in_valid{"in_valid"};
  sc_core::sc_in<std::uint32_t> in_flit{"in_flit"};
  sc_core::sc_out<bool> word_valid{"word_valid"};
  sc_core::sc_out<std::uint32_t> word_number{"word_number"};
  sc_core::sc_out<std::uint64_t> word{"word"};
  sc_core::sc_out<bool> verdict_valid{"verdict_valid"};
  sc_core::sc_out<std::uint32_t> verdict{"verdict"};
  sc_core::sc_out<std::uint32_t> verdict_corrected{"verdict_corrected"};
  sc_core::sc_in<bool> verdict_take{"verdict_take"};

  PacketJudgeModule(sc_core::sc_module_name name, const PacketJudgeConfig& config);

  SC_HAS_PROCESS(PacketJudgeModule);

 private:
  struct Judged {
    PacketVerdict verdict = PacketVerdict::accepted;
    unsigned corrected = 0;
  };
  struct Shown {
    bool valid = false;
    unsigned number = 0;
    std::uint64_t word = 0;
  };
  void on_edge();
  void start();
  Shown take_flit();
  Shown check_word(unsigned word_number);
  Judged judge();

  const PacketJudgeConfig config_;
  Packet packet_;  ///< Lengths and kind of the packet that arrives; map and header once it is judged.
  bool arrives_ = false;
  bool damaged_ = false;  ///< No more words are shown.
  unsigned cycles_ = 0;   ///< since the head came
  std::vector<FlitBits> flits_;
  std::deque<Judged> waiting_;
};

}  // namespace tsuji::nic
