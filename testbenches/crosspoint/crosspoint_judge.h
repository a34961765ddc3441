// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "crosspoint/crosspoint_pins.h"
#include "tsuji/core/units.h"

namespace tsuji::bench {

/// Rules of the crosspoint switch (Kanoh 2000, section 3), by the flits at its pins. Packets leave each FIFO
/// in order, whole, unchanged and without gaps, no earlier than the latency of their kind, into FIFOs with
/// room, with the port bits of the next switch. The table absorbs a packet at a time and each output sends
/// one packet a round, when all expected inputs have sent theirs. A slot is free after its packet's last
/// flit. An output is not idle while a packet can leave, and serves packets that can leave in turn.
class CrosspointJudge final : public Scoreboard {
 public:
  CrosspointJudge(const Drive& pins, const crosspoint::CrosspointConfig& config);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  enum Kind : unsigned { single_cast, multicast, synchronization };
  struct Packet {
    unsigned kind = 0, number = 0, sid = 0;
    std::uint64_t members = 0;
    Cycle arrival = 0;
    std::vector<std::uint32_t> flits;
    unsigned input = 0;
    bool open = true;  ///< more flits come
  };
  using PacketPtr = std::shared_ptr<Packet>;
  struct Output {
    PacketPtr sends;
    int from = -1;  ///< its input; ports: owed
    std::size_t next = 0;
    std::map<unsigned, std::deque<PacketPtr>> owed;  ///< [sid]
    std::vector<unsigned> passed;                    ///< [requester]: grants to others while it could leave
  };
  struct Round {
    std::vector<unsigned> arrived;
  };

  void restart();
  void read_place(const Sample& pins);
  void judge_slots(const Sample& pins, std::vector<std::string>& broken);
  void judge_table(Cycle cycle, const Sample& pins, std::vector<std::string>& broken);
  void judge_output(Cycle cycle, unsigned output, const Sample& pins, std::vector<std::string>& broken);
  void judge_head(Cycle cycle, unsigned output, const Sample& pins, std::vector<std::string>& broken);
  void judge_turns(Cycle cycle, unsigned output, std::vector<std::string>& broken);
  void complete(const PacketPtr& packet, const Sample& pins, std::vector<std::string>& broken);
  bool can_leave(Cycle cycle, unsigned output, unsigned requester) const;
  bool other_multicast_waits(Cycle cycle, unsigned output, unsigned requester) const;
  void take(Cycle cycle, const Sample& pins);
  Cycle least(const Packet& packet) const;
  std::uint32_t next_ports(unsigned output, const Packet& packet) const;
  std::deque<PacketPtr>& fifo(unsigned input, unsigned output) { return fifos_[input * ports_ + output]; }
  const std::deque<PacketPtr>& fifo(unsigned input, unsigned output) const {
    return fifos_[input * ports_ + output];
  }

  const crosspoint::CrosspointConfig config_;
  const unsigned ports_;
  const CrosspointHandles at_;
  bool started_ = false;
  std::vector<std::uint32_t> fixed_, room_;  ///< [output]; room_: in the previous cycle
  std::vector<std::uint64_t> first_, last_, from_, to_;
  std::vector<std::deque<PacketPtr>> fifos_;
  std::vector<PacketPtr> arriving_;
  std::vector<Output> outputs_;
  std::vector<Round> rounds_;
  std::vector<unsigned> used_;
  std::vector<std::uint32_t> freed_;  ///< [input]: FIFOs whose packet's last flit left in the previous cycle
  Cycle last_access_ = 0, waits_since_ = 0;
};

}  // namespace tsuji::bench
