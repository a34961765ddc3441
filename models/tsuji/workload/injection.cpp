// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/injection.h"

#include <cstdio>

#include "tsuji/core/error.h"

namespace tsuji::workload {
namespace {

/// Below, the gaps' logarithm is no longer exact to 1e-7.
constexpr double least_rate = 1e-9;

/// Nine digits: a load that was divided by a packet's length and multiplied again looks as it was given.
std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

/// In every cycle with the same probability.
class BernoulliArrivals final : public ArrivalProcess {
 public:
  explicit BernoulliArrivals(double rate) : gap_(rate) {}
  Cycle gap(CounterRandom& random) override { return gap_.draw(random); }

 private:
  const GeometricGap gap_;
};

/// One every 1 / rate cycles, rounded down arrival by arrival so that the mean is exact. The first comes in a
/// random cycle of the first period, or all nodes would send at once.
class PeriodicArrivals final : public ArrivalProcess {
 public:
  explicit PeriodicArrivals(double rate) : period_(1.0 / rate) {}
  Cycle gap(CounterRandom& random) override {
    if (count_ == 0) phase_ = 1 + random.below(static_cast<std::uint64_t>(period_));
    const Cycle at = phase_ + static_cast<Cycle>(static_cast<double>(count_) * period_);
    ++count_;
    const Cycle since = at - last_;
    last_ = at;
    return since;
  }

 private:
  const double period_;
  std::uint64_t count_ = 0;
  Cycle phase_ = 0, last_ = 0;
};

/// A Markov chain of two states: while on, Bernoulli arrivals; while off, none. How long each lasts is
/// geometric. It begins in the steady state.
class OnOffArrivals final : public ArrivalProcess {
 public:
  OnOffArrivals(const ArrivalConfig& config, double off_cycles)
      : on_share_(config.packets_per_cycle / config.burst_packets_per_cycle),
        arrivals_(config.burst_packets_per_cycle),
        on_(1.0 / config.burst_cycles),
        off_(1.0 / off_cycles) {}

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

std::unique_ptr<ArrivalProcess> make_bernoulli(const ArrivalConfig& config) {
  return std::make_unique<BernoulliArrivals>(config.packets_per_cycle);
}

std::unique_ptr<ArrivalProcess> make_periodic(const ArrivalConfig& config) {
  return std::make_unique<PeriodicArrivals>(config.packets_per_cycle);
}

std::unique_ptr<ArrivalProcess> make_on_off(const ArrivalConfig& config) {
  const double rate = config.packets_per_cycle, peak = config.burst_packets_per_cycle;
  if (!(peak >= rate && peak <= 1.0)) {
    const double flits = config.flits_per_packet;
    throw ConfigError("traffic.burst_load_flits_per_node_cycle", text(peak * flits),
                      "a burst is at least as dense as the mean, " + text(rate * flits) + " flits/cycle",
                      text(rate * flits) + ".." + text(flits) + " flits/cycle, at most a packet a cycle");
  }
  if (peak == rate) return make_bernoulli(config);
  // A cycle is on with probability rate / peak, so the times that are off have this mean.
  const double off_cycles = config.burst_cycles * (peak - rate) / rate;
  if (off_cycles < 1.0) {
    throw ConfigError("traffic.burst_cycles", text(config.burst_cycles),
                      "the times between bursts would be shorter than a cycle",
                      "at least " + text(rate / (peak - rate)) + " cycles at these loads");
  }
  if (off_cycles > 1.0 / least_rate) {
    throw ConfigError("traffic.burst_cycles", text(config.burst_cycles),
                      "the times between bursts would be longer than 10^9 cycles", "shorter bursts");
  }
  return std::make_unique<OnOffArrivals>(config, off_cycles);
}

}  // namespace

const std::vector<ArrivalKind>& arrival_kinds() {
  static const std::vector<ArrivalKind> kinds = {
      {"bernoulli", make_bernoulli},
      {"periodic", make_periodic},
      {"on_off", make_on_off, "burst_load_flits_per_node_cycle burst_cycles"},
  };
  return kinds;
}

std::unique_ptr<ArrivalProcess> make_arrivals(const std::string& name, const ArrivalConfig& config) {
  const double rate = config.packets_per_cycle;
  if (!(rate >= least_rate && rate <= 1.0)) {
    const double flits = config.flits_per_packet;
    throw ConfigError("traffic.load_flits_per_node_cycle", text(rate * flits),
                      "no load of a node that sends packets of " + text(flits) + " flits in the mean",
                      rate > 1.0 ? "at most " + text(flits) + " flits/cycle of a node, a packet a cycle"
                                 : "0, or at least " + text(least_rate * flits) +
                                       " flits/cycle of a node, a packet in 10^9 cycles");
  }
  std::string names;
  for (const ArrivalKind& kind : arrival_kinds()) {
    if (kind.name == name) return kind.make(config);
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw ConfigError("traffic.injection", name, "no such arrivals", names);
}

}  // namespace tsuji::workload
