// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// Bit errors on links, found by a CRC of each flit and repaired by go-back-N replay at the link; lanes that
/// fail.
struct LinkErrorConfig {
  double bit_error_rate = 0;  ///< probability that a bit arrives inverted, after error correction; 0: none
  unsigned flit_bits = 128;   ///< bits of a flit with its CRC
  Cycle replay_process_cycles = 2;  ///< check at the receiver, and restart at the sender, together
  /// Largest probability of a damaged flit: beyond it a link carries replays for the most part.
  static constexpr double most_flit_error_rate = 0.5;

  unsigned lanes = 4;  ///< lanes of a link; it continues with those that work
  /// Numbers of links, each of them once for each of its lanes that has failed, in both directions.
  std::vector<unsigned> lane_faults;

  bool errs() const { return bit_error_rate > 0; }
  bool on() const { return errs() || !lane_faults.empty(); }
  unsigned failed_lanes(std::uint32_t link) const {
    return static_cast<unsigned>(std::count(lane_faults.begin(), lane_faults.end(), link));
  }
  /// Probability that at least one bit of a flit is inverted: 1 - (1 - bit_error_rate)^flit_bits.
  double flit_error_rate() const;
  /// Throws ConfigError for a rate at which more than half of the flits are damaged, and for a link without a
  /// lane that works.
  void validate() const;
  /// Throws ConfigError for a failed lane of a link that is not one of `links`.
  void validate_links(std::size_t links) const;
};

/// Go-back-N replay of one direction of a link. The receiver discards a damaged flit and all after it until
/// the sender, after a negative acknowledgement, sends again from the damaged one on. Nothing is lost and
/// nothing overtakes, so replay appears as time alone: a flit begins its successful transmission when it
/// leaves the sender, or when the flit before it is through, and later by a round trip for each time that it
/// arrives damaged:
///
///     start(i) = max(leaves(i), start(i - 1) + flit_cycles) + errors(i) x round_trip
///
/// A saturated link carries a flit in flit_cycles + round_trip p / (1 - p) cycles on average, where p is
/// LinkErrorConfig::flit_error_rate(). The replay buffer holds all flits for which the receiver has buffers.
/// Acknowledgements and credits are not damaged.
class LinkErrors {
 public:
  /// Cycles from the departure of a damaged flit to its next departure: there, the negative acknowledgement
  /// back, and the processing at both ends.
  static Cycle round_trip_cycles(const LinkErrorConfig& config, Cycle latency_cycles, Cycle flit_cycles) {
    return 2 * latency_cycles + flit_cycles + config.replay_process_cycles;
  }
  /// `random` is this direction's own stream.
  /// With `failed_lanes` of its L lanes failed, the link takes L / (L - failed_lanes) times as long for a
  /// flit.
  LinkErrors(const LinkErrorConfig& config, Cycle latency_cycles, Cycle flit_cycles,
             const CounterRandom& random, unsigned failed_lanes = 0);

  /// Records the next flit of the link, which the sender sends in cycle `leaves`. Returns the cycles by which
  /// it arrives late.
  Cycle delay(Cycle leaves);
  std::uint64_t flits() const { return flits_; }    ///< flits sent, each once
  std::uint64_t errors() const { return errors_; }  ///< flits that arrived damaged, each time
  /// Cycles that replays took, errors() times a round trip.
  Cycle replay_cycles() const { return errors_ * round_trip_; }

 private:
  const Cycle round_trip_, working_lanes_;
  const Cycle lane_flit_cycles_;  ///< of a flit on one lane
  GeometricGap gap_;
  CounterRandom random_;
  std::uint64_t until_error_;  ///< transmissions up to the next damaged one, which counts
  /// Time from which the next flit may begin its transmission, in working_lanes_ parts of a cycle.
  Cycle free_at_ = 0;
  std::uint64_t flits_ = 0, errors_ = 0;
};

}  // namespace tsuji
