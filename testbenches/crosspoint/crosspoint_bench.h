// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "crosspoint/crosspoint_pins.h"
#include "crosspoint/switch_scenes.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Stimulus of a crosspoint switch: senders that respect the room wires or the freed slots, receivers whose
/// FIFOs fill and drain, and sets of nodes that synchronize as their members would: with early packets, and
/// rounds that outputs owe twice. Phases have one kind of packet or all kinds, short or long packets, traffic
/// to one output, receivers that are blocked or have single slots free; seldom, rounds of all sids that
/// outputs come to owe at once, and multicasts that are passed over. Resets come at any time and put the
/// switch at another place of a network.
class CrosspointStimulus final : public Stimulus {
 public:
  CrosspointStimulus(const Drive& pins, std::uint64_t seed, const crosspoint::CrosspointConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  static constexpr unsigned sids = 128;
  /// Rounds of one sid since its members were drawn.
  struct Rounds {
    std::uint64_t members = 0;
    std::uint32_t expected = 0, served = 0;
    unsigned many = 1;                     ///< number after which the members may change
    std::vector<unsigned> sent, released;  ///< [input], [output]
  };
  struct Sender {
    std::vector<std::uint32_t> flits;
    unsigned next = 0;
    std::vector<unsigned> used;  ///< [FIFO]: slots
  };
  /// Settings of a phase.
  struct Phase {
    unsigned kinds = 0, gap = 0, length = 0, room = 0;
    int output = -1;
    int multicaster = -1;  ///< if not -1, this input sends multicasts, and the others single casts
    bool by_credits = false;
    bool joins = false;  ///< synchronizations join rounds that others have begun, so that none is early
  };

  void restart(Drive& pins);
  void go_on();
  void draw_phase();
  void draw_all_sids();
  void draw_multicaster();
  void see(const Drive& pins);
  void drive_room(Drive& pins);
  void drive_input(unsigned input, Drive& pins);
  bool start(unsigned input, const Drive& pins);
  bool has_room(unsigned input, std::uint32_t fifos, const Drive& pins) const;
  bool single_cast(unsigned input, const Drive& pins);
  int node_behind(unsigned output);
  bool multicast(unsigned input, const Drive& pins);
  bool synchronization(unsigned input, const Drive& pins);
  unsigned begun(unsigned input);
  void draw_members(Rounds& rounds);
  bool quiet(const Rounds& rounds) const;
  bool may_send(const Rounds& rounds, unsigned input) const;
  void spell(unsigned input, PacketKind kind, std::uint32_t port_bits, std::uint64_t members, unsigned number,
             unsigned more);
  unsigned below(unsigned count) { return static_cast<unsigned>(random_.below(count)); }

  const crosspoint::CrosspointConfig config_;
  const SwitchScenes scenes_;
  CounterRandom random_, seldom_;
  const CrosspointHandles at_;
  const SwitchScenes::Scene* scene_ = nullptr;
  std::vector<Sender> senders_;
  std::vector<std::uint32_t> room_;  ///< [output]
  std::vector<Rounds> rounds_;       ///< [sid]
  std::vector<unsigned> active_;     ///< sids in use
  Phase phase_;
  unsigned phases_left_ = 0;  ///< of the rounds of all sids
};

}  // namespace tsuji::bench
