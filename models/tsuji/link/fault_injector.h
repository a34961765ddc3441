// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"
#include "tsuji/core/random.h"
#include "tsuji/link/packet_link.h"

namespace tsuji {

/// Error probabilities per flit, on selected channels (rooms/link.md, Where the paper is silent, 3; the last
/// channels by default).
struct FaultInjectorConfig {
  double single_bit_per_flit = 0.0;  ///< one of the 28 bits flips
  /// Two of the 24 data bits of a flit flip; never of a port flit, whose parity would not detect them.
  double double_bit_per_flit = 0.0;
  double lost_per_flit = 0.0;
  /// Excludes the port flit and the parity and position bits, so that every single-bit error can be
  /// corrected.
  bool data_words_only = false;
  std::uint64_t seed = 1;
  bool enabled() const { return single_bit_per_flit > 0 || double_bit_per_flit > 0 || lost_per_flit > 0; }
  void validate() const;  ///< throws ConfigError
};

/// Injects errors into packets on one channel. On a channel between switches (`checks_port_flit`) a packet
/// whose port flit has wrong parity is dropped, because the next switch cannot know its route. All other
/// errors are left to the receiving network interface.
class FaultInjector final : public PacketLinkProbe {
 public:
  struct Counters {
    /// Number of injected errors by kind. Errors beyond FlitSpelling::max_errors of a packet are not
    /// injected.
    std::uint64_t single_bit = 0, double_bit = 0, lost = 0;
    std::uint64_t dropped_port_parity = 0;  ///< packets dropped by the next switch
  };

  FaultInjector(const FaultInjectorConfig& config, PacketPool& pool, std::uint64_t channel,
                bool checks_port_flit);
  bool on_send(Cycle now, PacketTransfer& transfer) override;
  void on_room(unsigned, Cycle) override {}
  const Counters& counters() const { return counters_; }

 private:
  /// Draws an error on flit `flit`. Returns the counter of its kind; null if the error would hit an excluded
  /// bit.
  std::uint64_t* draw_error(unsigned flit, FlitError& error);

  const FaultInjectorConfig config_;
  PacketPool& pool_;
  const bool checks_port_flit_;
  const double total_;
  CounterRandom random_;
  GeometricGap gap_;
  std::uint64_t flits_until_error_;
  Counters counters_;
};

}  // namespace tsuji
