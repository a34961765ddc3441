// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <deque>
#include <limits>
#include <memory>

#include "support/catch.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/traffic/open_loop.h"
#include "tsuji/workload/pattern_kinds.h"

using namespace tsuji;
using namespace tsuji::traffic;
using namespace tsuji::workload;
using observe::LoadMeasurement;
using observe::MeasureConfig;

namespace {

/// A loopback wire at every node: a packet leaves after its predecessor, at one flit a cycle, and its tail
/// arrives `delay` cycles after it left. No other resource delays it, so queueing theory gives every mean.
class Wires {
 public:
  Wires(unsigned nodes, double load, unsigned flits, const char* arrivals, Cycle delay)
      : nodes_(nodes), delay_(delay) {
    PatternConfig config;
    config.nodes = nodes;
    const std::shared_ptr<const Pattern> pattern = pattern_kinds().make("uniform", config);
    ArrivalRate rate;
    rate.packets_per_cycle = load / flits;
    for (NodeId id = 0; id < nodes; ++id) {
      SyntheticLoad::Parts parts;
      parts.pattern = pattern;
      parts.arrivals = make_arrivals(arrival_kinds(), arrivals, rate);
      parts.lengths = PacketLengths::fixed(flits);
      nodes_[id].source = std::make_unique<SyntheticLoad>(std::move(parts), id, 5);
      nodes_[id].source->next(nodes_[id].upcoming);
    }
  }

  void run(LoadMeasurement& measurement) {
    std::uint64_t flits_taken = 0;
    Cycle now = 0;
    for (; !measurement.finished(now); ++now) {
      for (NodeId id = 0; id < nodes_.size(); ++id) step(id, now, measurement, flits_taken);
    }
    measurement.flits_ejected(flits_taken);
    measurement.close(now);
  }

 private:
  struct Node {
    std::unique_ptr<EmissionSource> source;
    Emission upcoming;
    Cycle free_at = 0;
    std::uint32_t serial = 0;
    std::deque<observe::DeliveredPacket> under_way;
  };

  void step(NodeId id, Cycle now, LoadMeasurement& measurement, std::uint64_t& flits_taken) {
    Node& node = nodes_[id];
    while (node.upcoming.created == now) {
      const Emission& e = node.upcoming;
      measurement.born(now, id, e.flits);
      const Cycle injected = std::max(node.free_at, now);
      node.free_at = injected + e.flits;
      node.under_way.push_back({packet_id(id, node.serial++), id, e.destination, now, injected,
                                injected + delay_, injected + e.flits - 1 + delay_, e.flits, 1});
      node.source->next(node.upcoming);
    }
    if (node.under_way.empty()) return;
    const observe::DeliveredPacket& first = node.under_way.front();
    const bool taken = now >= first.head_cycle && now <= first.tail_cycle;
    if (taken && now >= measurement.ejection_from() && now < measurement.ejection_to()) ++flits_taken;
    if (now != first.tail_cycle) return;
    measurement.delivered(first);
    node.under_way.pop_front();
  }

  std::vector<Node> nodes_;
  const Cycle delay_;
};

struct Measured {
  double latency, from_injection, confidence, accepted;
  bool saturated;
};

Measured measure(double load, unsigned flits, const char* arrivals, Cycle cycles) {
  constexpr unsigned nodes = 16;
  constexpr Cycle delay = 3;
  Wires wires(nodes, load, flits, arrivals, delay);
  MeasureConfig config;
  config.warmup_cycles = 5000;
  config.cycles = cycles;
  LoadMeasurement measurement(config, nodes);
  wires.run(measurement);
  observe::Results results("test", "0", 1);
  measurement.metrics().add_to(results, nodes, 0, measurement.interval_cycles());
  measurement.add_to(results);
  const auto value = [&](const char* name) {
    const observe::Value& found = results.value(name);
    return found.is_null() ? std::numeric_limits<double>::infinity() : found.number();
  };
  CHECK(measurement.undelivered() == 0);
  return {value("latency_cycles_mean"), value("latency_from_injection_cycles_mean"),
          value("latency_cycles_mean_confidence95"), value("accepted_flits_per_node_cycle"),
          measurement.stability().saturated()};
}

}  // namespace

TEST_CASE("Bernoulli arrivals wait in the source as the queue's closed form predicts") {
  // Packets of P flits arrive with probability q a cycle: mean wait q P (P - 1) / (2 (1 - q P)).
  for (const unsigned flits : {1U, 4U, 16U}) {
    for (const double load : {0.1, 0.5, 0.8}) {
      const Measured m = measure(load, flits, "bernoulli", 200'000);
      const double wait = load * (flits - 1) / (2 * (1 - load));
      CAPTURE(flits, load, m.latency, m.confidence);
      CHECK(m.from_injection == flits - 1 + 3);
      // Three half widths of the 95 % interval: six standard errors.
      CHECK(std::abs(m.latency - m.from_injection - wait) <= 3 * m.confidence + 1e-9);
      CHECK(m.confidence < 0.2 * m.latency);
      CHECK(m.accepted == Approx(load).epsilon(0.03));
      CHECK_FALSE(m.saturated);
    }
  }
}

TEST_CASE("periodic arrivals never wait, and bursts wait long") {
  const Measured periodic = measure(0.5, 4, "periodic", 20'000);
  CHECK(periodic.latency == periodic.from_injection);
  CHECK(measure(0.5, 4, "on_off", 200'000).latency > 2 * measure(0.5, 4, "bernoulli", 200'000).latency);
}
