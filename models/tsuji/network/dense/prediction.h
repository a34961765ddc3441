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

/// Parts of a router's prediction.
struct PredictionParts {
  ArenaPtr<router::Predictors> predictors;
  Cycle lead_cycles = 0;      ///< VcRouterConfig::predicted_lead_cycles()
  bool in_time = false;       ///< a route is known before a wrong flit is on the link
  bool reads_coming = false;  ///< router::PredictorTraits
  bool learns = true;         ///< the predictors learn: they have no table
};

/// A head that may cross in this cycle by prediction.
struct PredictionTry {
  std::uint8_t input_vc, port, out_port, out_vc;
  bool right;
};

/// Prediction beside the stages of a router without modules (Tateshita 2009, section 2.1): the outputs that
/// are reserved for quiet inputs, and packets whose flits cross without switch allocation. The decisions are
/// those of router::Prediction with router::FastVcRouter, for guesses that are checked before a flit is on
/// the link (PredictionCheck::kill).
///
/// An output that only one quiet input can want, always the same, is reserved for it unless anybody has
/// requested the output in this cycle or the last one: nothing is remembered but these requests. A
/// router::PredictiveCrossbar reserves other outputs.
/// Mask: of input virtual channels.
template <class Mask>
class Prediction final : public router::PredictingRouter {
 public:
  /// Heads of a cycle that may cross: at most one an input.
  struct Tries {
    Mask busy;       ///< input virtual channels that had a packet or a flit in the last cycle
    unsigned count;  ///< of heads
    PredictionTry list[router::PredictiveCrossbar::most_ports];

    const PredictionTry* begin() const { return list; }
    const PredictionTry* end() const { return list + count; }
  };

  /// `inputs`: mask of the ports with an input.
  Prediction(PredictionParts parts, unsigned ports, Bits inputs, unsigned output_vcs, Arena& arena)
      : predictors_(std::move(parts.predictors)),
        lead_cycles_(parts.lead_cycles),
        guesses_(arena.array<std::uint8_t>(ports)),
        last_vc_(arena.array<std::uint8_t>(ports)),
        free_from_(arena.array<Cycle>(output_vcs)),
        counters_(arena.array<router::PredictionCounters>(ports)),
        ports_(ports),
        in_time_(parts.in_time),
        reads_coming_(parts.reads_coming),
        learns_(parts.learns) {
    std::uint32_t rows = 1;
    while (rows <= lead_cycles_) rows *= 2;
    uses_ = arena.array<Use>(rows);
    row_mask_ = rows - 1;
    look_ = rivals_ = learns_ ? inputs : rivals(inputs);
    if (rivals_ != 0) crossbar_ = make_in<router::PredictiveCrossbar>(arena, ports, arena, lead_cycles_, 1);
  }

  /// True if several inputs may want an output.
  bool has_rivals() const { return rivals_ != 0; }
  /// Starts a cycle of a router that has rivals. quiet(port): the input had neither packet nor flit in the
  /// last cycle.
  template <class Quiet>
  void begin(Cycle now, const Quiet& quiet) {
    for (Bits rest = std::exchange(look_, 0); rest != 0; rest &= rest - 1) {
      const unsigned port = lowest(rest);
      if (quiet(port)) crossbar_->want(port, predictors_->predict(port, nullptr));
    }
    crossbar_->begin(now);
  }
  /// Output that the head at a quiet input tries. `routes`: its candidates, if they are known in time.
  unsigned wanted(unsigned port, const routing::RouteSet& routes, Cycle now) {
    if (!is_rival(port)) return guesses_[port] == nothing ? router::no_port : guesses_[port];
    if (seldom(reads_coming_)) {
      const routing::RouteSet none{};
      crossbar_->want(port, predictors_->predict(port, in_time_ ? &routes : &none));
      crossbar_->begin(now);
    }
    return crossbar_->wanted(port);
  }
  /// True if the head may cross to its output in this cycle, of which all requests are known.
  bool holds(const PredictionTry& one, Cycle now) const {
    const Use& use = uses_[now & row_mask_];
    Bits taken = asked_[now & 1].outputs | asked_before(now);
    if (use.cycle == now) {
      if ((use.input_vcs & Mask{1} << one.input_vc) != 0) return false;
      taken |= use.outputs;
    }
    return (taken & bit(one.out_port)) == 0 &&
           (!is_rival(one.port) || crossbar_->held(one.port, now, 1) == one.out_port);
  }
  /// The input releases its output, or no longer wants it.
  void give_up(unsigned port) {
    if (is_rival(port)) crossbar_->want(port, router::no_port);
  }
  bool learns() const { return learns_; }
  void learn(unsigned port, End destination, unsigned out_port) {
    predictors_->learn(port, destination, out_port);
  }
  void count(unsigned port, router::PredictionOutcome outcome) {
    ++counters_[port].visits[static_cast<std::size_t>(outcome)];
  }

  /// The first real requests of a cycle, for any of these outputs.
  void request(Bits outputs, Cycle now) { asked_[now & 1] = {now, outputs}; }
  /// Further ones.
  void request_too(Bits outputs, Cycle now) { asked_[now & 1].outputs |= outputs; }
  /// The same to the crossbar of a router that has rivals, with the inputs from which they come.
  void request_of_rivals(Bits inputs, Bits outputs, Cycle now) {
    crossbar_->request_all(inputs, outputs, now);
  }
  /// Returns true if input virtual channels may have lost their output to requests from `input_vcs`, or to
  /// flits that won the switch.
  bool may_lose(Mask input_vcs, Cycle now) const {
    const Use& use = uses_[now & row_mask_];
    Bits outputs = asked_[now & 1].outputs;
    if (use.cycle == now) {
      outputs |= use.outputs;
      input_vcs |= use.input_vcs & kept_;
    }
    return (outputs & kept_outputs_) != 0 || (input_vcs & kept_inputs_) != 0;
  }
  /// An input virtual channel loses the output that it keeps: it is requested, or one of `input_vcs` at its
  /// input, `of_input`, requests the switch, or its flit that is `ready` meets one that won the switch.
  bool loses(Mask input_vc, Mask of_input, unsigned out_port, Mask input_vcs, Mask ready, Cycle now) const {
    if ((asked_[now & 1].outputs & bit(out_port)) != 0 || (input_vcs & of_input) != 0) return true;
    const Use& use = uses_[now & row_mask_];
    return use.cycle == now && (ready & input_vc) != 0 &&
           ((use.outputs & bit(out_port)) != 0 || (use.input_vcs & input_vc) != 0);
  }

  /// A head crosses, and its input virtual channel, one of `of_input`, keeps the output. `saved`: cycles that
  /// it did not wait.
  void hit(const PredictionTry& one, Mask of_input, Cycle saved) {
    count(one.port, router::PredictionOutcome::hit);
    counters_[one.port].saved_cycles += saved;
    if (is_rival(one.port)) crossbar_->keep(one.port);
    kept_ |= Mask{1} << one.input_vc;
    kept_inputs_ |= of_input;
    kept_outputs_ |= bit(one.out_port);
  }
  /// A flit after such a head crosses.
  void cross_kept(unsigned port) { ++counters_[port].kept_flits; }
  /// Flits that have won the switch cross later. `of_inputs`: all input virtual channels of their inputs.
  void cross(Mask of_inputs, Bits outputs, Cycle now) {
    const Cycle crosses = now + lead_cycles_;
    uses_[crosses & row_mask_] = {crosses, of_inputs, outputs};
  }
  /// The packet of an input virtual channel, one of `of_input`, requests the switch from now on, or has left.
  void stop_keeping(Mask input_vc, Mask of_input, unsigned port, unsigned out_port) {
    kept_ &= ~input_vc;
    kept_inputs_ &= ~of_input;
    kept_outputs_ &= ~bit(out_port);
    give_up(port);
  }
  /// A tail leaves by a virtual channel of its output port, free for heads that cross after cycle `crosses`.
  void tail_left(unsigned port, unsigned of_port, unsigned output_vc, Cycle crosses) {
    last_vc_[port] = static_cast<std::uint8_t>(of_port);
    free_from_[output_vc] = crosses + 1;
    look_ |= rivals_ & bit(port);
  }
  /// True if a head that crosses in cycle `now` leaves after the last tail of this output virtual channel.
  bool leaves_last(unsigned output_vc, Cycle now) const { return free_from_[output_vc] <= now; }
  /// Virtual channel that the last packet of a quiet input got at its output.
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
  /// Flits that won the switch and cross in a cycle: the input virtual channels of their inputs, and their
  /// outputs.
  struct Use {
    Cycle cycle = 0;
    Mask input_vcs = 0;
    Bits outputs = 0;
  };
  /// Outputs that are requested in a cycle.
  struct RequestedOutputs {
    Cycle cycle = 0;
    Bits outputs = 0;
  };
  static constexpr std::uint8_t nothing = 0xff;

  /// Fills in guesses that never change. Returns the inputs whose output another one may want, too.
  Bits rivals(Bits inputs) {
    Bits wanted = 0, shared = 0, found = 0;
    const auto output = [this](unsigned port) {
      return guesses_[port] == nothing ? Bits{0} : bit(guesses_[port]);
    };
    for (Bits rest = inputs; rest != 0; rest &= rest - 1) {
      const unsigned port = lowest(rest), guess = predictors_->predict(port, nullptr);
      guesses_[port] = guess == router::no_port ? nothing : static_cast<std::uint8_t>(guess);
      shared |= wanted & output(port);
      wanted |= output(port);
    }
    for (Bits rest = inputs; rest != 0; rest &= rest - 1)
      if ((shared & output(lowest(rest))) != 0) found |= lowest_bit(rest);
    return found;
  }
  /// Outputs that were requested in the last cycle.
  Bits asked_before(Cycle now) const {
    const RequestedOutputs& before = asked_[~now & 1];
    return before.cycle + 1 == now ? before.outputs : 0;
  }
  bool is_rival(unsigned port) const { return seldom((rivals_ & bit(port)) != 0); }

  Bits rivals_ = 0;            ///< inputs whose output others may want, or that want other ones later
  Bits look_ = 0;              ///< those of them to examine for being quiet
  RequestedOutputs asked_[2];  ///< [cycle % 2]
  Mask kept_ = 0;
  Mask kept_inputs_ = 0;  ///< input virtual channels of the inputs of kept_: each has one of kept_
  Bits kept_outputs_ = 0;
  Use* uses_;  ///< [cycle % rows]
  std::uint32_t row_mask_;
  const ArenaPtr<router::Predictors> predictors_;
  ArenaPtr<router::PredictiveCrossbar> crossbar_;  ///< null unless rivals
  const Cycle lead_cycles_;
  std::uint8_t* const guesses_;  ///< [input] without rivals: output, or `nothing`
  std::uint8_t* const last_vc_;  ///< [input]
  Cycle* const free_from_;       ///< [output VC]: first cycle in which a head may cross after the last tail
  router::PredictionCounters* const counters_;  ///< [input]
  const unsigned ports_;
  const bool in_time_, reads_coming_, learns_;
};

}  // namespace tsuji::network::dense
