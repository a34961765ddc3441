// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tsuji/traffic/emission.h"
#include "tsuji/workload/pattern_kinds.h"

namespace example {

/// An exchange in rounds, as a program that computes and communicates in turn makes it.
struct ExchangeConfig {
  unsigned rounds = 10;
  unsigned packets = 8;  ///< of a node in a round
  unsigned packet_flits = 4;
  tsuji::Cycle period_cycles = 200;  ///< between the beginnings of two rounds
  std::string pattern = "uniform";   ///< a word of `patterns`
  tsuji::workload::PatternKinds patterns = tsuji::workload::pattern_kinds();

  void add_keys(tsuji::config::KeyTable& keys);
  /// ConfigError, also for rounds that begin later than a run on this clock may last.
  void validate(tsuji::ClockPeriod clock) const;
  std::shared_ptr<const tsuji::workload::Pattern> make_pattern(unsigned nodes, std::uint64_t seed) const;
};

/// The packets of one node.
class Exchange final : public tsuji::traffic::EmissionSource {
 public:
  /// `config` outlives the source.
  Exchange(const ExchangeConfig& config, std::shared_ptr<const tsuji::workload::Pattern> pattern,
           tsuji::NodeId node, std::uint64_t seed);
  bool next(tsuji::traffic::Emission& emission) override;
  /// Arrivals decide nothing.
  bool listens() const override { return false; }
  tsuji::Cycle lookahead_cycles() const override { return tsuji::never; }

 private:
  const ExchangeConfig config_;
  const std::shared_ptr<const tsuji::workload::Pattern> pattern_;
  const tsuji::NodeId node_;
  tsuji::CounterRandom random_;
  std::uint64_t sent_ = 0;
};

}  // namespace example
