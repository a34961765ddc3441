#pragma once

#include <cstdint>

#include "tsuji/core/arena.h"
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
  /// At most `most_ports` ports, else ModelError.
  PredictiveCrossbar(unsigned ports, Arena& arena);

  /// The holders of this cycle follow from what happened in the ones before.
  void begin(Cycle now);
  /// An idle input wants `output` from the next cycle on, or nothing (`no_port`). It gives up what it holds
  /// unless that is `output`.
  void want(unsigned input, unsigned output);
  /// The input uses what it holds for the rest of a packet: once released it is not set again.
  void keep(unsigned input) { at_[input].keeps = true; }
  bool keeps(unsigned input) const { return at_[input].keeps; }
  unsigned wanted(unsigned input) const { return at_[input].wants == 0 ? no_port : at_[input].wants - 1U; }
  /// A real request stands in cycle `now`.
  void request(unsigned input, unsigned output, Cycle now);
  /// A flit crosses in cycle `first`, which is `now` or a later one, and its output takes no other for
  /// `cycles` cycles from then on; they end before now + most_ahead_cycles. ModelError: another flit crosses
  /// the input in that cycle, or is at the output in one of those.
  void cross(unsigned input, unsigned output, Cycle now, Cycle first, Cycle cycles);
  /// The output by which the input may send a flit now that takes it for `cycles` cycles, or `no_port`.
  unsigned held(unsigned input, Cycle now, Cycle cycles) const;

  static constexpr Cycle most_ahead_cycles = 64;
  static constexpr unsigned most_ports = 64;

 private:
  /// A port, as input and as output. Bit i of `in_use` and `out_use` is cycle base + i, in which a flit
  /// crosses.
  struct Port {
    std::uint64_t in_use = 0, out_use = 0;
    Cycle base = 0;
    std::uint64_t wanted_by = 0;  ///< output: inputs that want it
    Cycle asked_before = 0;       ///< output: the cycle after the last one with a request
    std::uint16_t holder = 0;     ///< output: + 1; 0: nobody
    std::uint16_t turn = 0;       ///< output: input that comes first
    std::uint16_t wants = 0;      ///< input: + 1; 0: nothing
    bool keeps = false;           ///< input

    /// Bits of the present cycle and later ones.
    std::uint64_t from(std::uint64_t bits, Cycle now) const {
      return now - base < 64 ? bits >> (now - base) : 0;
    }
    void pass(Cycle now) {
      in_use = from(in_use, now);
      out_use = from(out_use, now);
      base = now;
    }
  };
  static std::uint64_t mask(Cycle cycles) {
    return cycles < 64 ? (std::uint64_t{1} << cycles) - 1 : ~std::uint64_t{0};
  }

  void release(unsigned output);
  void stop_wanting(unsigned input);
  void open(unsigned output) { open_ |= std::uint64_t{1} << output; }
  unsigned next_holder(unsigned output) const;
  [[noreturn]] static void two_flits(const char* side, unsigned port, Cycle now, Cycle first);

  Port* const at_;          ///< [port], as input and as output
  std::uint64_t open_ = 0;  ///< outputs that nobody holds and somebody may want
  const unsigned ports_;
};

}  // namespace tsuji::router
