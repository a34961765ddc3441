// SPDX-License-Identifier: Apache-2.0
#include "own_kinds.h"
#include "tsuji/core/error.h"

namespace example {
namespace {

using namespace tsuji;

/// An exchange in rounds, as a program that computes and communicates in turn makes it.
struct ExchangeConfig {
  unsigned rounds = 10;
  unsigned packets = 8;       ///< of a node in a round
  Cycle period_cycles = 200;  ///< between the beginnings of two rounds

  void add_keys(config::KeyTable& keys) {
    keys.add("exchange.rounds", rounds, {1, 1'000'000}, "", "rounds of the exchange");
    keys.add("exchange.packets", packets, {1, 1'000'000}, "packets", "packets of a node in a round");
    keys.add("exchange.period_cycles", period_cycles, {1, 1'000'000'000}, "cycles",
             "between the beginnings of two rounds");
  }
  std::unique_ptr<const traffic::Traffic> make(const traffic::TrafficGiven& given) const;
};

/// The packets of one node.
class Exchange final : public traffic::EmissionSource {
 public:
  Exchange(const ExchangeConfig& config, const traffic::TrafficGiven& given, NodeId node)
      : config_(config), given_(given), node_(node), random_(given.seed, node) {}

  bool next(traffic::Emission& emission) override {
    const std::uint64_t round = sent_ / config_.packets;
    if (round == config_.rounds) return false;
    emission = {};
    emission.created = 1 + round * config_.period_cycles;
    emission.flits = static_cast<std::uint16_t>(given_.lengths.draw(random_));
    emission.destination = given_.pattern->destination(node_, random_);
    ++sent_;
    return true;
  }
  /// Arrivals decide nothing.
  bool listens() const override { return false; }
  Cycle lookahead_cycles() const override { return never; }

 private:
  const ExchangeConfig config_;
  const traffic::TrafficGiven given_;
  const NodeId node_;
  CounterRandom random_;
  std::uint64_t sent_ = 0;
};

/// The packets of all nodes.
class Exchanges final : public traffic::Traffic {
 public:
  Exchanges(const ExchangeConfig& config, const traffic::TrafficGiven& given)
      : config_(config), given_(given) {}
  std::unique_ptr<traffic::EmissionSource> source(NodeId node) const override {
    if (given_.pattern->share(node) == 0) return traffic::no_packets();
    return std::make_unique<Exchange>(config_, given_, node);
  }

 private:
  const ExchangeConfig config_;
  const traffic::TrafficGiven given_;
};

std::unique_ptr<const traffic::Traffic> ExchangeConfig::make(const traffic::TrafficGiven& given) const {
  const Cycle most_cycles = (given.limits.last_cycle - 1) / rounds;
  if (period_cycles > most_cycles)
    throw ConfigError("exchange.period_cycles", std::to_string(period_cycles),
                      "the exchange ends later than a run may last", "1.." + std::to_string(most_cycles));
  return std::make_unique<Exchanges>(*this, given);
}

}  // namespace

void add_exchange(traffic::TrafficKinds& kinds) {
  traffic::TrafficTraits traits;
  traits.text = "rounds of packets";
  traits.draws = true;  // destinations and lengths, by traffic.pattern and traffic.length
  kinds.add<ExchangeConfig>("exchange", traits);
}

}  // namespace example
