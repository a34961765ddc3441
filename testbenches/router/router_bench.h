// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/stimulus.h"
#include "router/router_pins.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Stimulus of a router's neighbours. In phases they send packets of one flit or many, in every cycle or
/// occasionally, for any output or all for one, on all virtual channels or few; they return credits
/// immediately, occasionally, in bursts or never. Resets occur at any time, and routes are written during a
/// reset. An episode is the time between two resets. Most episodes are brief and end with a head without a
/// route; half of the others end with a protocol violation.
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
    no_route,
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
  void guide();
  void prepare(Cycle cycle);
  void look(const Drive& pins);
  void return_credits(Drive& pins);
  bool returns(Returns how);
  void send(Drive& pins);
  bool has_route(unsigned port, unsigned node) const;
  bool leads(unsigned port, unsigned node, unsigned output) const;
  std::uint64_t any_head(std::uint64_t node);
  bool next_flit(unsigned port, Flit& flit);
  void begin_packet(unsigned port, unsigned vc, Flit& flit);
  bool breach(Drive& pins);
  bool breach_at(unsigned port, unsigned vc, Flit& flit);
  void put(Drive& pins, unsigned port, const Flit& flit);
  void put_noise(Drive& pins);
  std::size_t first_rows() const;
  void put_route(Cycle cycle, bool reset, Drive& pins);
  std::uint64_t any_words(std::uint64_t row);
  void sort_nodes();
  unsigned any_port() { return static_cast<unsigned>(random_.below(config_.ports)); }
  unsigned any_vc() { return static_cast<unsigned>(random_.below(config_.vcs)); }

  router::PinRouterConfig config_;  ///< with the routes that are currently written
  const RouterHandles at_;
  CounterRandom random_;
  std::vector<Line> lines_;
  std::vector<unsigned> owed_;  ///< [output virtual channel]: credits that the bench has not returned yet
  std::vector<std::vector<unsigned>> nodes_,
      lost_,             ///< [input port]: destinations with a route, destinations without a route
      guessed_;          ///< [input port]: destinations with a route by the predicted output
  unsigned inside_ = 0;  ///< number of flits inside the router

  Cycle life_end_ = 0, reset_until_ = 2, phase_end_ = 0, give_up_ = 0;
  Breach breach_ = Breach::none;
  bool brief_ = false, ending_ = false, broken_ = false;

  // The phase.
  std::vector<std::uint64_t> send_each_;  ///< [input port]
  std::vector<Returns> returns_;          ///< [output port]
  std::uint64_t shortest_ = 1, longest_ = 1;
  unsigned vcs_in_use_ = 0;
  unsigned hot_node_ = 0,
           hot_of_8_ =
               0;  ///< a node that gets more traffic: its number, and how many of eight packets go to it
  bool bursting_ = false, drains_ = false;
  bool guided_ = false;  ///< most heads take the predicted output
};

}  // namespace tsuji::bench
