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

/// Crossbar whose connections are set before a flit arrives (Tateshita 2009, section 2.1). An idle input that
/// wants an output holds the output as long as nobody requests it; one holder per output. A real request for
/// the output, or any from the input, releases the connection in the same cycle; it is set again after the
/// first cycle without a request. A holder keeps an output that other inputs want, too; a released one is
/// given to them round robin. Flits that won the switch have priority in the cycles in which they cross.
///
/// Contract: in a cycle begin() first, then request(), cross() and want() in any order, and held() after all
/// requests. Cycles without any call may be skipped.
class PredictiveCrossbar {
 public:
  std::string stands_for() const {
    return "crossbar whose connections are set before a flit comes (Tateshita 2009, section 2.1)";
  }
  /// At most `most_ports` ports. `lead_cycles`: cycles from `now` to the latest cycle in which a flit crosses
  /// (cross); `flit_cycles`: longest time of a flit at an output. Their sum is at most `most_ahead_cycles`.
  /// Otherwise ModelError.
  PredictiveCrossbar(unsigned ports, Arena& arena, Cycle lead_cycles, Cycle flit_cycles);

  /// Starts a cycle: determines the holders from the events of earlier cycles.
  void begin(Cycle now) {
    if (open_ == 0) return;
    // Outputs requested in the last cycle cannot be set yet.
    const std::uint64_t free = asked_in_ + 1 == now ? open_ & ~asked_ : open_;
    if (free != 0) hand_out(free);
  }
  /// An idle input wants `output` from the next cycle on, or nothing (`no_port`). It releases any other
  /// output.
  void want(unsigned input, unsigned output) {
    keeps_ &= ~bit(input);
    if (wanted(input) != output) change_wanted(input, output);
  }
  /// The input uses its output for the rest of a packet: once released, the output is not set again for it.
  void keep(unsigned input) { keeps_ |= bit(input); }
  bool keeps(unsigned input) const { return (keeps_ & bit(input)) != 0; }
  unsigned wanted(unsigned input) const { return at_[input].wants.value_or(no_port); }
  /// Reports a real request in cycle `now`.
  void request(unsigned input, unsigned output, Cycle now) { request_all(bit(input), bit(output), now); }
  /// Reports the real requests of a cycle, from any of these inputs and for any of these outputs (masks).
  void request_all(std::uint64_t inputs, std::uint64_t outputs, Cycle now) {
    if (asked_in_ != now) asked_ = 0;
    asked_in_ = now;
    asked_ |= outputs;
    if (((outputs & held_) | (inputs & holders_)) != 0) release_all(inputs, outputs);
  }
  /// A flit crosses in cycle `first`, which is `now` or later, and occupies its output for `cycles` cycles
  /// from then on. ModelError if another flit crosses the input in that cycle or occupies the output in one
  /// of those.
  void cross(unsigned input, unsigned output, Cycle now, Cycle first, Cycle cycles) {
    Use& use = uses_[first & row_mask_];
    if (use.cycle != first) use = {first, 0, 0};
    if ((use.inputs & bit(input)) != 0) two_flits("input ", input, now, first);
    use.inputs |= bit(input);
    if (busy_ != nullptr) return occupy(output, now, first, cycles);
    if ((use.outputs & bit(output)) != 0) two_flits("output ", output, now, first);
    use.outputs |= bit(output);
  }
  /// Mask of inputs that have lost the output that they keep, since the last call.
  std::uint64_t take_dropped() { return std::exchange(dropped_, 0); }
  /// Returns true if a crossing has been reported for cycle `now`.
  bool used(Cycle now) const { return uses_[now & row_mask_].cycle == now; }
  /// The output by which the input may now send a flit that occupies it for `cycles` cycles, or `no_port`.
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
  /// Both sides of a port.
  struct Port {
    IndexOrNone<std::uint8_t> holder;  ///< for an output: the input that holds it
    std::uint8_t turn = 0;             ///< for an output: the input with the highest priority
    IndexOrNone<std::uint8_t> wants;   ///< for an input: the output that it wants
  };
  /// Inputs and outputs that flits use in a cycle, as masks.
  struct Use {
    Cycle cycle = 0;
    std::uint64_t inputs = 0, outputs = 0;
  };
  /// Occupied cycles of an output whose flits take more than a cycle: bit i stands for cycle base + i.
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
  void change_wanted(unsigned input, unsigned output);
  void hand_out(std::uint64_t outputs);
  void release_all(std::uint64_t inputs, std::uint64_t outputs);
  void release(unsigned output);
  void stop_wanting(unsigned input);
  unsigned next_holder(unsigned output) const;
  [[noreturn]] static void two_flits(const char* side, unsigned port, Cycle now, Cycle first);

  Port* const at_;                  ///< [port]
  std::uint64_t* const wanted_by_;  ///< [output]: inputs that want it, as bits
  Use* uses_;                       ///< [cycle % rows]
  /// [output]; null: all outputs accept a flit in every cycle, and `Use` has them.
  Busy* busy_ = nullptr;
  std::uint64_t open_ = 0;     ///< free outputs that may be wanted
  std::uint64_t held_ = 0;     ///< mask of held outputs
  std::uint64_t holders_ = 0;  ///< mask of holding inputs
  std::uint64_t keeps_ = 0;    ///< mask of inputs that keep their output
  std::uint64_t dropped_ = 0;  ///< mask of inputs that have lost the output that they keep
  std::uint64_t asked_ = 0;    ///< mask of outputs with a request in cycle asked_in_
  Cycle asked_in_ = 0;
  std::uint32_t row_mask_ = 0;
  const std::uint32_t ports_;
};

}  // namespace tsuji::router
