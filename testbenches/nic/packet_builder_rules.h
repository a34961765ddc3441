// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "nic/checked_words.h"
#include "nic/packet_builder_bench.h"
#include "tsuji/core/units.h"

namespace tsuji::bench {

/// Rules of the builder of packets (Kanoh 2000, 4.2 and 5.1; rooms/nic.md, rooms/core.md), by its pins: a
/// packet is the longest one that ends at a line of the destination and crosses no page; its header has the
/// parcel's fields; it leaves without gaps, with position codes, parity and check bits, and its payload is
/// the parcel's bytes, as the lines gave them.
class PacketBuilderRules final : public Scoreboard {
 public:
  PacketBuilderRules(const Drive& pins, const nic::PacketBuilderConfig& config);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  using Lines = std::vector<std::string>;
  struct Cut {
    unsigned bytes = 0, reads = 0, skip = 0;
    std::uint64_t offset = 0, line = 0;
    bool first = false, last = false, again = false;
  };
  struct Place {
    unsigned kind = 0;
    Cut cut;
    std::uint64_t map = 0, header = 0, address = 0;
    bool started = false;
    std::vector<std::uint64_t> source;  ///< doublewords of its lines, or its body
  };
  std::uint64_t in(const Sample& pins, std::size_t pin) const { return pins.input(pin); }
  bool reads_memory(const Sample& pins) const;
  bool is_request(const Sample& pins) const;
  Cut cut_of(const Sample& pins) const;
  unsigned longest(const Sample& pins) const;
  std::uint64_t header_of(const Sample& pins) const;
  std::uint64_t address_of(const Sample& pins) const;
  std::vector<std::uint64_t> body_of(const Sample& pins) const;
  void judge_cut(const Sample& pins, Lines& broken) const;
  void judge_flit(const Sample& pins, Lines& broken);
  void judge_packet(Lines& broken) const;
  std::uint64_t payload(const Place& place, unsigned word) const;
  void take(const Sample& pins);

  const nic::PacketBuilderConfig config_;
  const PacketBuilderHandles at_;
  const CheckedWords words_;
  std::optional<Cut> chosen_;  ///< in the cycle before
  Cut cut_;
  unsigned place_ = 0;
  bool built_ = false;  ///< in the cycle before
  std::uint64_t header_ = 0, address_ = 0;
  std::vector<Place> places_;
  int leaving_ = -1;  ///< place of the packet on the wires
  std::uint64_t ports_ = 0;
  unsigned length_ = 0;
  std::vector<std::uint32_t> flits_;
};

}  // namespace tsuji::bench
