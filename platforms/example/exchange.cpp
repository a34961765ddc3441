// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"

namespace example {

using namespace tsuji;

void ExchangeConfig::add_keys(config::KeyTable& keys) {
  keys.add("exchange.rounds", rounds, {1, 1'000'000}, "", "rounds of the exchange");
  keys.add("exchange.packets", packets, {1, 1'000'000}, "packets", "packets of a node in a round");
  keys.add("exchange.packet_flits", packet_flits, {1, 65535}, "flits", "length of a packet");
  keys.add("exchange.period_cycles", period_cycles, {1, 1'000'000'000}, "cycles",
           "between the beginnings of two rounds");
  keys.add_choice("traffic.pattern", pattern, patterns.words(), "destinations of the packets");
  patterns.add_keys(keys);
}

void ExchangeConfig::validate(ClockPeriod clock) const {
  patterns.validate(pattern);
  const Cycle most_cycles = (last_run_cycle(clock) - 1) / rounds;
  if (period_cycles > most_cycles)
    throw ConfigError(
        "exchange.period_cycles", std::to_string(period_cycles),
        "the exchange ends later than a run may last with clock_period_ps " + std::to_string(clock.ps()),
        "1.." + std::to_string(most_cycles));
}

std::shared_ptr<const workload::Pattern> ExchangeConfig::make_pattern(unsigned nodes,
                                                                      std::uint64_t seed) const {
  workload::PatternConfig among;
  among.nodes = nodes;
  among.seed = seed;
  return patterns.make(pattern, among);
}

Exchange::Exchange(const ExchangeConfig& config, std::shared_ptr<const workload::Pattern> pattern,
                   NodeId node, std::uint64_t seed)
    : config_(config), pattern_(std::move(pattern)), node_(node), random_(seed, node) {}

bool Exchange::next(traffic::Emission& emission) {
  const std::uint64_t round = sent_ / config_.packets;
  if (round == config_.rounds || pattern_->share(node_) == 0) return false;
  emission = {};
  emission.created = 1 + round * config_.period_cycles;
  emission.payload_bytes = 0;
  emission.flits = static_cast<std::uint16_t>(config_.packet_flits);
  emission.destination = pattern_->destination(node_, random_);
  ++sent_;
  return true;
}

}  // namespace example
