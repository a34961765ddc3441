// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "router/router_candidates.h"
#include "router/router_pins.h"

namespace tsuji::bench {

/// Rules of a virtual-channel router at its pins. Every received flit leaves once, unchanged, in the order
/// of its virtual channel, by the output of its route. A packet owns one output virtual channel of its route
/// from head to tail; among several candidates the pins show which one. A flit is sent only with a credit, at
/// most one flit for each input and each output in a cycle, and not before its pipeline stages have
/// completed; with prediction a head that comes to an input without packet and flit may leave at once, by the
/// predicted output alone, and then the further flits of its packet. The credit of a flit's slot marks the
/// cycle in which the flit left its buffer. No flit that can leave waits forever. A protocol violation is
/// reported one cycle later, and no flit leaves after it until a reset.
class RouterJudge final : public Scoreboard {
 public:
  RouterJudge(const Drive& pins, const router::PinRouterConfig& config);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  static constexpr Cycle longest_wait = 2000;
  /// Output of a packet, known once its head is shown.
  struct Passage {
    unsigned port = 0, vc = 0;
    bool hit = false;  ///< the last flit crossed by prediction
  };
  struct Flit {
    bool head = false, tail = false;
    std::uint64_t destination = 0, data = 0;
    Cycle came = 0;
    bool recovers = false;       ///< a head that came in recovery, or has gone into it
    Cycle restarted = 0;         ///< when it did so because its time was over
    std::uint64_t head_out = 0;  ///< destination pins at the output, without the bit of recovery
    unsigned line = 0;
    Cycle left = 0, earliest = 0, due = 0;  ///< due: on the wires
    bool early = false;                     ///< crossed by prediction
    std::shared_ptr<Passage> passage;
  };
  struct Line {
    std::deque<Flit> flits;
    bool inside = false;  ///< a packet has begun to come, and its tail has not
    Cycle front_since = 0, waits_since = 0;
    std::shared_ptr<Passage> passage;  ///< of the packet whose head has left; null: its tail has left, too
  };
  struct OutputVc {
    bool held = false;
    unsigned holder = 0;
    Cycle released = 0;  ///< when its last packet's tail left the buffer
    bool was_held = false;
    unsigned flits = 0;         ///< shown at the pins, without a credit at the pins
    unsigned places = 0;        ///< free places of the buffer downstream, as usable credits show them
    std::deque<Cycle> credits;  ///< first cycle in which each further credit can be used
    Cycle empty_since = 0;      ///< cycle since which all places are free
  };

  void restart(Cycle cycle);
  void judge_silence(const Sample& pins, std::vector<std::string>& broken) const;
  void judge_left(Cycle cycle, const Sample& pins, std::vector<std::string>& broken);
  void judge_blocked(Cycle cycle, const Sample& pins, std::vector<std::string>& broken);
  bool times_out(const Line& line) const;
  HeadAt at(unsigned line, const Flit& head) const;
  void take_head(Flit& flit) const;
  Cycle first_start(const Line& line, const Flit& flit) const;
  Cycle routed_after(unsigned line, const Flit& head) const;
  void leave(Cycle left, unsigned line, const Sample& pins, std::vector<std::string>& broken);
  void judge_early(const Flit& flit, const Sample& pins, std::vector<std::string>& broken) const;
  void judge_outcome(unsigned port, unsigned left, const Sample& pins,
                     std::vector<std::string>& broken) const;
  void judge_outputs(Cycle cycle, const Sample& pins, std::vector<std::string>& broken);
  std::uint64_t leaves_as(const Flit& flit) const;
  unsigned output_of(const Flit& flit, const Sample& pins) const;
  void judge_flit(const Flit& flit, unsigned port, const Sample& pins, std::vector<std::string>& broken);
  bool could_leave(const Line& line, unsigned number) const;
  void judge_head(unsigned port, unsigned vc, const Flit& flit, std::vector<std::string>& broken);
  void judge_place(OutputVc& output, const Flit& flit, const std::string& name,
                   std::vector<std::string>& broken);
  void judge_waits(Cycle cycle, std::vector<std::string>& broken);
  void update_places(OutputVc& output, Cycle cycle) const;
  bool take_inputs(Cycle cycle, const Sample& pins);
  bool take_flit(Cycle cycle, unsigned port, const Sample& pins);
  bool take_credit(Cycle cycle, unsigned output_vc);
  bool head_has_no_route(Cycle cycle) const;
  std::string line_name(unsigned line) const;
  std::string output_name(unsigned port, unsigned vc) const;

  router::PinRouterConfig config_;  ///< with the routes that are currently written
  const RouterHandles at_;
  const Cycle through_;  ///< cycles from leaving a buffer to the wires
  std::vector<Line> lines_;
  std::vector<OutputVc> outputs_;  ///< [port * vcs + vc]
  std::vector<Flit> due_;          ///< flits that have left their buffers and are not on the wires, in order
  bool stopped_ = false, known_ = false;
};

}  // namespace tsuji::bench
