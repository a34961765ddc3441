// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/link_errors.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji {

double LinkErrorConfig::flit_error_rate() const {
  double intact = 1, power = 1 - bit_error_rate;
  for (unsigned bits = flit_bits; bits != 0; bits /= 2) {
    if (bits % 2 != 0) intact *= power;
    power *= power;
  }
  return 1 - intact;
}

void LinkErrorConfig::validate() const {
  for (const unsigned link : lane_faults) {
    if (failed_lanes(link) < lanes) continue;
    throw ConfigError("link.lane_faults", std::to_string(link), "no lane of this link works",
                      "a link at most " + std::to_string(lanes - 1) +
                          " times, of link.lanes lanes; a link that is down is one of faults.links");
  }
  const double rate = flit_error_rate();
  if (rate <= most_flit_error_rate) return;
  throw ConfigError(
      "link.bit_error_rate", std::to_string(bit_error_rate),
      "of flits of " + std::to_string(flit_bits) + " bits, " + std::to_string(rate) + " arrive damaged",
      "a rate at which at most half of them do (about " + std::to_string(0.693 / flit_bits) + ")");
}

void LinkErrorConfig::validate_links(std::size_t links) const {
  for (const unsigned link : lane_faults)
    if (link >= links)
      throw ConfigError("link.lane_faults", std::to_string(link), "the topology has no such link",
                        links == 0 ? "[]" : "0.." + std::to_string(links - 1));
}

LinkErrors::LinkErrors(const LinkErrorConfig& config, Cycle latency_cycles, Cycle flit_cycles,
                       const CounterRandom& random, unsigned failed_lanes)
    : round_trip_(round_trip_cycles(config, latency_cycles, flit_cycles)),
      working_lanes_(failed_lanes == 0 ? 1 : config.lanes - failed_lanes),
      lane_flit_cycles_(failed_lanes == 0 ? flit_cycles : flit_cycles * config.lanes),
      gap_(config.errs() ? config.flit_error_rate() : 1),
      random_(random),
      until_error_(config.errs() ? gap_.draw(random_) : GeometricGap::longest) {}

Cycle LinkErrors::delay(Cycle leaves) {
  ++flits_;
  Cycle start = std::max(leaves * working_lanes_, free_at_);
  while (--until_error_ == 0) {
    ++errors_;
    start += round_trip_ * working_lanes_;
    until_error_ = gap_.draw(random_);
  }
  free_at_ = start + lane_flit_cycles_;
  return (start + working_lanes_ - 1) / working_lanes_ - leaves;
}

}  // namespace tsuji
