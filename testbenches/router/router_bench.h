// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/stimulus.h"
#include "router/router_pins.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Neighbours of a router. In phases they send packets of one flit or many, in every cycle or now and then,
/// for any output or all for one, on all virtual channels or few; and return credits at once, now and then,
/// in bursts or not at all. Resets come at any time, and routes are written in them. A life is the time
/// between two resets. Most are brief and end with a head that has no way; of the others each second one ends
/// with one breach of the protocol, and the rest keep it.
class RouterStimulus final : public Stimulus {
 public:
  RouterStimulus(const Drive& pins, std::uint64_t seed, const router::PinRouterConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  enum class Breach : std::uint8_t {
    none,
    full_buffer,
    no_head,
    second_head,
    credit_for_nothing,
    unknown_vc,
    no_way,
    count
  };
  enum class Returns : std::uint8_t { at_once, often, seldom, never, bursts };
  struct Line {
    unsigned places = 0;
    unsigned left = 0;  ///< flits of the packet that are to come; 0: none is open
  };
  struct Flit {
    unsigned vc = 0;
    bool head = false, tail = false;
    std::uint64_t destination = 0;
  };

  bool one_in(std::uint64_t count) { return random_.below(count) == 0; }
  Line& line(unsigned port, unsigned vc) { return lines_[port * config_.vcs + vc]; }
  void begin_life(Cycle cycle);
  void begin_phase(Cycle cycle);
  void crowd();
  void prepare(Cycle cycle);
  void look(const Drive& pins);
  void return_credits(Drive& pins);
  bool returns(Returns how);
  void send(Drive& pins);
  bool next_flit(unsigned port, Flit& flit);
  void begin_packet(unsigned port, unsigned vc, Flit& flit);
  bool breach(Drive& pins);
  bool breach_at(unsigned port, unsigned vc, Flit& flit);
  void put(Drive& pins, unsigned port, const Flit& flit);
  void put_noise(Drive& pins);
  void put_route(bool reset, Drive& pins);
  void sort_nodes();
  unsigned any_port() { return static_cast<unsigned>(random_.below(config_.ports)); }
  unsigned any_vc() { return static_cast<unsigned>(random_.below(config_.vcs)); }

  router::PinRouterConfig config_;  ///< with the routes as they are written
  const RouterHandles at_;
  CounterRandom random_;
  std::vector<Line> lines_;
  std::vector<unsigned> owed_;                       ///< [output virtual channel]: credits
  std::vector<std::vector<unsigned>> nodes_, lost_;  ///< [input port]: with a way, without one
  unsigned inside_ = 0;                              ///< flits

  Cycle life_end_ = 0, reset_until_ = 2, phase_end_ = 0, give_up_ = 0;
  Breach breach_ = Breach::none;
  bool brief_ = false, ending_ = false, broken_ = false;

  // The phase.
  std::vector<std::uint64_t> send_each_;  ///< [input port]
  std::vector<Returns> returns_;          ///< [output port]
  std::uint64_t shortest_ = 1, longest_ = 1;
  unsigned vcs_in_use_ = 0;
  unsigned hot_node_ = 0, hot_of_8_ = 0;  ///< packets of eight that go there
  bool bursting_ = false, drains_ = false;
};

}  // namespace tsuji::bench
