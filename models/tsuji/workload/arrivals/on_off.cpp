// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/arrivals/on_off.h"

#include "tsuji/core/error.h"
#include "tsuji/workload/arrivals/bernoulli.h"

namespace tsuji::workload {
namespace {

/// A Markov chain of two states: while on, Bernoulli arrivals; while off, none. How long each lasts is
/// geometric. It begins in the steady state.
class OnOffArrivals final : public ArrivalProcess {
 public:
  OnOffArrivals(double rate, double peak, double on_cycles, double off_cycles)
      : on_share_(rate / peak), arrivals_(peak), on_(1.0 / on_cycles), off_(1.0 / off_cycles) {}

  Cycle gap(CounterRandom& random) override {
    Cycle passed = 0;
    if (!begun_) {
      begun_ = true;
      // The rest of a geometric time is geometric, so a steady state needs no more than this.
      if (random.unit() >= on_share_) passed = off_.draw(random);
      left_ = on_.draw(random);
    }
    // Arrivals count the cycles that are on; those that are off lie between.
    Cycle wanted = arrivals_.draw(random);
    while (wanted > left_) {
      wanted -= left_;
      passed += left_ + off_.draw(random);
      left_ = on_.draw(random);
    }
    left_ -= wanted;
    return passed + wanted;
  }

 private:
  const double on_share_;
  const GeometricGap arrivals_, on_, off_;
  bool begun_ = false;
  Cycle left_ = 0;  ///< cycles that are still on
};

}  // namespace

void OnOffConfig::add_keys(config::KeyTable& keys) {
  keys.add("traffic.burst_load_flits_per_node_cycle", burst_load_flits_per_node_cycle, {0.0, 1.0},
           "flits/node/cycle", "on_off: offered load of a node during a burst");
  keys.add("traffic.burst_cycles", burst_cycles, {1.0, 1e6}, "cycles", "on_off: mean length of a burst");
}

std::unique_ptr<ArrivalProcess> OnOffConfig::make(const ArrivalRate& arrivals) const {
  const double rate = arrivals.packets_per_cycle;
  const double flits = arrivals.flits_per_packet, peak = burst_load_flits_per_node_cycle / flits;
  if (!(peak >= rate && peak <= 1.0)) {
    throw ConfigError(
        "traffic.burst_load_flits_per_node_cycle", load_text(peak * flits),
        "a burst is at least as dense as the mean, " + load_text(rate * flits) + " flits/cycle",
        load_text(rate * flits) + ".." + load_text(flits) + " flits/cycle, at most one packet per cycle");
  }
  if (peak == rate) return std::make_unique<BernoulliArrivals>(rate);
  // A cycle is on with probability rate / peak, so the times that are off have this mean.
  const double off_cycles = burst_cycles * (peak - rate) / rate;
  if (off_cycles < 1.0) {
    throw ConfigError("traffic.burst_cycles", load_text(burst_cycles),
                      "the times between bursts would be shorter than a cycle",
                      "at least " + load_text(rate / (peak - rate)) + " cycles at these loads");
  }
  if (off_cycles > 1.0 / ArrivalRate::least) {
    throw ConfigError("traffic.burst_cycles", load_text(burst_cycles),
                      "the times between bursts would be longer than 10^9 cycles", "shorter bursts");
  }
  return std::make_unique<OnOffArrivals>(rate, peak, burst_cycles, off_cycles);
}

void add_on_off(ArrivalKinds& kinds) {
  kinds.add<OnOffConfig>("on_off");
}

}  // namespace tsuji::workload
