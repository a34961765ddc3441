// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tsuji/core/arena.h"
#include "tsuji/core/index_or_none.h"
#include "tsuji/core/units.h"
#include "tsuji/router/prediction/predictors.h"

namespace tsuji::router {

/// Connections of a crossbar that are set before a flit comes (Tateshita 2009, 2.1). An idle input that wants
/// an output holds it while nobody else asks for it, one holder an output. A real request for the output, or
/// any from the input, releases the connection in its own cycle; it is set again after the first cycle in
/// which nobody asks. The holder keeps an output that others want, too; a released one goes round robin.
/// Flits that won the switch cross first: in their cycles nothing that is held can be used.
///
/// A cycle is: begin(), then requests, crossings and wishes in any order, with held() after all requests.
/// Cycles in which nothing happens may be left out.
class PredictiveCrossbar {
 public:
  std::string stands_for() const {
    return "crossbar whose connections are set before a flit comes (Tateshita 2009, section 2.1)";
  }
  /// At most `most_ports` ports, else ModelError.
  /// `lead_cycles`: from cycle `now` to the latest one in which a flit crosses (cross); `flit_cycles`: the
  /// longest time of a flit at an output. Together at most `most_ahead_cycles`.
  PredictiveCrossbar(unsigned ports, Arena& arena, Cycle lead_cycles, Cycle flit_cycles);

  /// The holders of this cycle follow from what happened in the ones before.
  void begin(Cycle now) {
    // Asked for in the cycle before: it could not be set.
    const std::uint64_t free = asked_in_ + 1 == now ? open_ & ~asked_ : open_;
    if (free != 0) hand_out(free);
  }
  /// An idle input wants `output` from the next cycle on, or nothing (`no_port`). It gives up what it holds
  /// unless that is `output`.
  void want(unsigned input, unsigned output);
  /// The input uses what it holds for the rest of a packet: once released it is not set again.
  void keep(unsigned input) { keeps_ |= bit(input); }
  bool keeps(unsigned input) const { return (keeps_ & bit(input)) != 0; }
  unsigned wanted(unsigned input) const { return at_[input].wants.value_or(no_port); }
  /// A real request stands in cycle `now`.
  void request(unsigned input, unsigned output, Cycle now) { request_all(bit(input), bit(output), now); }
  /// Real requests of the cycle, from any of these inputs and for any of these outputs, as bits.
  void request_all(std::uint64_t inputs, std::uint64_t outputs, Cycle now) {
    if (asked_in_ != now) asked_ = 0;
    asked_in_ = now;
    asked_ |= outputs;
    if (((outputs & held_) | (inputs & holders_)) != 0) release_all(inputs, outputs);
  }
  /// A flit crosses in cycle `first`, which is `now` or a later one, and its output takes no other for
  /// `cycles` cycles from then on. ModelError: another flit crosses the input in that cycle, or is at the
  /// output in one of those.
  void cross(unsigned input, unsigned output, Cycle now, Cycle first, Cycle cycles) {
    Use& use = uses_[first & row_mask_];
    if (use.cycle != first) use = {first, 0, 0};
    if ((use.inputs & bit(input)) != 0) two_flits("input ", input, now, first);
    use.inputs |= bit(input);
    if (busy_ != nullptr) return occupy(output, now, first, cycles);
    if ((use.outputs & bit(output)) != 0) two_flits("output ", output, now, first);
    use.outputs |= bit(output);
  }
  /// Inputs that have lost what they keep since the last call, as bits.
  std::uint64_t take_dropped() { return std::exchange(dropped_, 0); }
  /// Whether any flit crosses in cycle `now` that has been told.
  bool used(Cycle now) const { return uses_[now & row_mask_].cycle == now; }
  /// The output by which the input may send a flit now that takes it for `cycles` cycles, or `no_port`.
  unsigned held(unsigned input, Cycle now, Cycle cycles) const {
    if ((holders_ & bit(input)) == 0) return no_port;
    const unsigned output = *at_[input].wants;
    const Use& use = uses_[now & row_mask_];
    if (use.cycle == now && ((use.inputs & bit(input)) | (use.outputs & bit(output))) != 0) return no_port;
    return busy_ == nullptr || (busy_[output].from(now) & mask(cycles)) == 0 ? output : no_port;
  }

  static constexpr Cycle most_ahead_cycles = 64;
  static constexpr unsigned most_ports = 64;

 private:
  /// A port, as input and as output.
  struct Port {
    IndexOrNone<std::uint8_t> holder;  ///< output: input
    std::uint8_t turn = 0;             ///< output: input that comes first
    IndexOrNone<std::uint8_t> wants;   ///< input: output
  };
  /// Ports that a flit uses in a cycle, as bits.
  struct Use {
    Cycle cycle = 0;
    std::uint64_t inputs = 0, outputs = 0;
  };
  /// An output whose flits take more than a cycle. Bit i is cycle base + i, in which one is there.
  struct Busy {
    std::uint64_t bits = 0;
    Cycle base = 0;
    std::uint64_t from(Cycle now) const { return now - base < 64 ? bits >> (now - base) : 0; }
  };

  static constexpr std::uint64_t bit(unsigned port) { return std::uint64_t{1} << port; }
  static std::uint64_t mask(Cycle cycles) {
    return cycles < 64 ? (std::uint64_t{1} << cycles) - 1 : ~std::uint64_t{0};
  }
  void occupy(unsigned output, Cycle now, Cycle first, Cycle cycles);
  void hand_out(std::uint64_t outputs);
  void release_all(std::uint64_t inputs, std::uint64_t outputs);
  void release(unsigned output);
  void stop_wanting(unsigned input);
  unsigned next_holder(unsigned output) const;
  [[noreturn]] static void two_flits(const char* side, unsigned port, Cycle now, Cycle first);

  Port* const at_;                  ///< [port]
  std::uint64_t* const wanted_by_;  ///< [output]: inputs that want it, as bits
  Use* uses_;                       ///< [cycle % rows]
  Busy* busy_ = nullptr;            ///< [output]; null: all take a flit in every cycle, and `Use` has them
  std::uint64_t open_ = 0;          ///< outputs that nobody holds and somebody may want
  std::uint64_t held_ = 0;          ///< outputs
  std::uint64_t holders_ = 0;       ///< inputs
  std::uint64_t keeps_ = 0;         ///< inputs
  std::uint64_t dropped_ = 0;       ///< inputs
  std::uint64_t asked_ = 0;         ///< outputs with a request in cycle asked_in_
  Cycle asked_in_ = 0;
  std::uint32_t row_mask_ = 0;
  const std::uint32_t ports_;
};

}  // namespace tsuji::router
