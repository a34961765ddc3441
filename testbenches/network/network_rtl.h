// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/session/network_faults.h"
#include "tsuji/session/network_feature.h"
#include "tsuji/session/network_run.h"

// The platform `network` with RTL in some of its places.

namespace tsuji::bench {

/// Keys for those who place RTL.
struct RtlOptions {
  std::set<graph::RouterId> routers;  ///< that have RTL
  bool shadow = false;                ///< a model runs beside each of them, on its live inputs
  std::string wave = "";              ///< stem of waveform files of its own signals; empty: none
  std::string record = "";            ///< stem of records of its pins (PinRecord); empty: none
  /// Hears failed checks of the RTL; null: they end the run.
  std::function<void(const std::string&)> warn = {};
};

/// A row of the executable's table: RTL for the routers of a network, or for a part of them.
class NetworkRtl {
 public:
  NetworkRtl(std::string row, std::string meaning) : name(std::move(row)), what(std::move(meaning)) {}
  virtual ~NetworkRtl() = default;
  /// The network that the RTL was made for, over a 4x4 torus.
  virtual void set_defaults(session::NetworkRunConfig& config) const = 0;
  /// ConfigError for a network that neither the RTL nor its models fit.
  virtual void check(const session::NetworkRunConfig& config) const = 0;
  /// Fills `parts`, from which a network is made. ConfigError for a network that the RTL does not fit.
  virtual std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options,
                                                        const session::NetworkRunConfig& config,
                                                        const graph::Topology& topology,
                                                        network::LoadedNetwork::Parts& parts) const = 0;
  /// A model can run beside it (RtlOptions::shadow).
  virtual bool has_shadow() const { return false; }
  /// It is whole routers, whose own signals can be shown and whose pins recorded (RtlOptions::wave, record).
  virtual bool is_routers() const { return false; }

  const std::string name, what;
};

using NetworkRtlTable = std::vector<std::unique_ptr<NetworkRtl>>;

/// The platform `network` (session::network_main) with the RTL of a table, which outlives it: keys rtl.*, and
/// defaults that the chosen RTL fits, the first one if none is chosen. Returns the exit status.
int rtl_network_main(int argc, char** argv, const NetworkRtlTable& table);

}  // namespace tsuji::bench
