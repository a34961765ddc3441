// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tsuji/core/arena.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/prediction/predictive_crossbar.h"
#include "tsuji/router/prediction/predictors.h"

namespace tsuji::network::dense {

/// A head that may cross in this cycle by prediction.
struct PredictionTry {
  std::uint8_t input_vc, port, out_port, out_vc;
  bool right;
};
/// Those of a cycle: at most one an input.
struct PredictionTries {
  PredictionTry* end;
  PredictionTry list[router::PredictiveCrossbar::most_ports];
};

/// Parts of a router's prediction.
struct PredictionParts {
  ArenaPtr<router::Predictors> predictors;
  Cycle lead_cycles = 0;      ///< VcRouterConfig::predicted_lead_cycles()
  bool in_time = false;       ///< a route is known before a wrong flit is on the link
  bool reads_coming = false;  ///< router::PredictorTraits
  bool learns = true;         ///< the predictors learn: they have no table
};

/// Prediction beside the stages of a router without modules (Tateshita 2009, section 2.1): quiet inputs, the
/// outputs that are reserved for them, and packets whose flits cross without switch allocation. The decisions
/// are those of router::Prediction with router::FastVcRouter, for guesses that are checked before a flit is
/// on the link (PredictionCheck::kill).
/// Mask: of input virtual channels.
template <class Mask>
class Prediction final : public router::PredictingRouter {
 public:
  /// `inputs`: mask of the ports with an input.
  Prediction(PredictionParts parts, unsigned ports, Bits inputs, unsigned output_vcs, Arena& arena)
      : crossbar_(ports, arena, parts.lead_cycles, 1),
        look_(inputs),
        lead_cycles_(parts.lead_cycles),
        predictors_(std::move(parts.predictors)),
        last_vc_(arena.array<std::uint8_t>(ports)),
        free_from_(arena.array<Cycle>(output_vcs)),
        counters_(arena.array<router::PredictionCounters>(ports)),
        ports_(ports),
        in_time_(parts.in_time),
        reads_coming_(parts.reads_coming),
        learns_(parts.learns) {}

  /// Starts a cycle. quiet(port): the input had neither packet nor flit in the last cycle.
  template <class Quiet>
  [[gnu::always_inline]] void begin(Cycle now, const Quiet& quiet) {
    if (look_ != 0) {
      for (Bits rest = std::exchange(look_, 0); rest != 0; rest &= rest - 1) {
        const unsigned port = lowest(rest);
        if (!quiet(port)) continue;
        quiet_ |= bit(port);
        crossbar_.want(port, predictors_->predict(port, nullptr));
      }
    }
    crossbar_.begin(now);
  }
  /// Returns true, once, if the head that has arrived came to a quiet input.
  bool admits(unsigned port) {
    const Bits own = quiet_ & bit(port);
    quiet_ ^= own;
    return own != 0;
  }
  /// Output that an admitted head tries. `routes`: its candidates, if they are known in time.
  unsigned wanted(unsigned port, const routing::RouteSet& routes, Cycle now) {
    if (seldom(reads_coming_)) {
      const routing::RouteSet none{};
      crossbar_.want(port, predictors_->predict(port, in_time_ ? &routes : &none));
      crossbar_.begin(now);
    }
    return crossbar_.wanted(port);
  }
  /// True if a flit of the input may cross to its output in this cycle.
  bool holds(unsigned port, unsigned out_port, Cycle now) const {
    return crossbar_.held(port, now, 1) == out_port;
  }
  /// The input releases its output, or no longer wants it.
  void give_up(unsigned port) { crossbar_.want(port, router::no_port); }
  bool learns() const { return learns_; }
  void learn(unsigned port, End destination, unsigned out_port) {
    predictors_->learn(port, destination, out_port);
  }
  void count(unsigned port, router::PredictionOutcome outcome) {
    ++counters_[port].visits[static_cast<std::size_t>(outcome)];
  }
  void request_all(std::uint64_t inputs, std::uint64_t outputs, Cycle now) {
    crossbar_.request_all(inputs, outputs, now);
  }
  std::uint64_t take_dropped() { return crossbar_.take_dropped(); }
  /// True if a flit that won the switch earlier crosses in this cycle, after the input's packet got its
  /// output. If winners cross in the cycle after their win, the packet's head has taken all of them into
  /// account.
  bool others_cross(Cycle now) const { return lead_cycles_ > 1 && crossbar_.used(now); }

  /// A head crosses, and its input virtual channel keeps the output. `saved`: cycles that it did not wait.
  void hit(const PredictionTry& one, Cycle saved, Cycle now) {
    count(one.port, router::PredictionOutcome::hit);
    counters_[one.port].saved_cycles += saved;
    crossbar_.keep(one.port);
    kept_ |= Mask{1} << one.input_vc;
    last_vc_[one.port] = one.out_vc;
    crossbar_.cross(one.port, one.out_port, now, now, 1);
  }
  /// A flit after such a head crosses.
  void cross_kept(unsigned port, unsigned out_port, Cycle now) {
    ++counters_[port].kept_flits;
    crossbar_.cross(port, out_port, now, now, 1);
  }
  /// A flit has won the switch.
  void cross(unsigned port, unsigned out_port, unsigned out_vc, Cycle now) {
    last_vc_[port] = static_cast<std::uint8_t>(out_vc);
    crossbar_.cross(port, out_port, now, now + lead_cycles_, 1);
  }
  /// Packets of these input virtual channels request the switch from now on.
  void stop_keeping(Mask input_vcs) { kept_ &= ~input_vcs; }
  /// A tail leaves its output virtual channel free for heads that cross after cycle `crosses`.
  void tail_left(unsigned input_vc, unsigned port, unsigned output_vc, Cycle crosses) {
    if (const Mask own = kept_ & Mask{1} << input_vc; own != 0) {
      kept_ ^= own;
      give_up(port);
    }
    look_ |= bit(port);
    free_from_[output_vc] = crosses + 1;
  }
  /// True if a head that crosses in cycle `now` leaves after the last tail of this output virtual channel.
  bool leaves_last(unsigned output_vc, Cycle now) const { return free_from_[output_vc] <= now; }
  /// Virtual channel that the last head of the input got at its output.
  unsigned last_vc(unsigned port) const { return last_vc_[port]; }
  /// Input virtual channels that keep their output: their flits do not request the switch.
  Mask kept() const { return kept_; }
  Cycle lead_cycles() const { return lead_cycles_; }
  bool in_time() const { return in_time_; }

  router::PredictionCounters prediction_counters() const override {
    router::PredictionCounters sum;
    for (unsigned port = 0; port < ports_; ++port) sum += counters_[port];
    return sum;
  }
  router::PredictionCounters prediction_counters_at(unsigned port) const override { return counters_[port]; }
  std::uint64_t predictor_bits() const override { return predictors_->state_bits(); }

 private:
  router::PredictiveCrossbar crossbar_;
  Bits quiet_ = 0;  ///< ports whose input was idle and empty in the last cycle
  Bits look_;       ///< ports to examine for being quiet
  Mask kept_ = 0;
  const Cycle lead_cycles_;
  const ArenaPtr<router::Predictors> predictors_;
  std::uint8_t* const last_vc_;  ///< [input]
  Cycle* const free_from_;       ///< [output VC]: first cycle in which a head may cross after the last tail
  router::PredictionCounters* const counters_;  ///< [input]
  const unsigned ports_;
  const bool in_time_, reads_coming_, learns_;
};

}  // namespace tsuji::network::dense
