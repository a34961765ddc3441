// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"
#include "tsuji/core/random.h"
#include "tsuji/link/packet_link.h"

namespace tsuji {

/// Probabilities a flit, on the channels that are told to (rooms/link.md, Where the paper is silent, 3: the
/// last ones unless told otherwise).
struct FaultInjectorConfig {
  double single_bit_per_flit = 0.0;  ///< one of the 28 bits flips
  double double_bit_per_flit =
      0.0;  ///< two of the 24 data bits of a word's flit flip; not of a port flit, whose parity would miss it
  double lost_per_flit = 0.0;
  /// Spare the port flit and the parity and position bits, so that every single-bit error can be corrected.
  bool data_words_only = false;
  std::uint64_t seed = 1;
  bool enabled() const { return single_bit_per_flit > 0 || double_bit_per_flit > 0 || lost_per_flit > 0; }
  void validate() const;  ///< throws ConfigError
};

/// Spoils packets of one channel. On a channel between switches (`checks_port_flit`), the next switch sees a
/// port flit with wrong parity and drops the packet there, because it cannot tell where it should go;
/// everything else is left to the receiving network interface.
class FaultInjector final : public PacketLinkProbe {
 public:
  struct Counters {
    /// Errors put on flits. A packet carries FlitSpelling::max_errors of them; what would be more is not put
    /// on.
    std::uint64_t single_bit = 0, double_bit = 0, lost = 0;
    std::uint64_t dropped_port_parity = 0;  ///< packets that the next switch dropped
  };

  FaultInjector(const FaultInjectorConfig& config, PacketPool& pool, std::uint64_t channel,
                bool checks_port_flit);
  bool on_send(Cycle now, PacketTransfer& transfer) override;
  void on_room(unsigned, Cycle) override {}
  const Counters& counters() const { return counters_; }

 private:
  /// Returns what counts this kind of error; null if it would hit what is to be spared.
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
