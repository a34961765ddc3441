// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "network/network_run.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/loaded_network.h"

// A whole network with RTL in some of its places, compared with itself with models alone.

namespace tsuji::bench {

/// A network and its traffic.
struct BenchedNetwork {
  network::NetworkConfig machine;
  network::TrafficConfig traffic;
};

/// RTL that stands in one network. Outlives the simulation.
class PlacedRtl {
 public:
  virtual ~PlacedRtl() = default;
  /// Records the network's counts, behind the last cycle.
  virtual void count(const network::LoadedNetwork& network, NetworkRun& run) = 0;
  /// Sums of them for people: "12 look-ups, 3 hits, 9 misses".
  virtual std::string text(const NetworkRun& run) const = 0;
};

/// Words of the command line for those who place RTL.
struct RtlOptions {
  std::set<graph::RouterId> routers;  ///< that have RTL
  bool shadow = false;                ///< a model runs beside each of them, on its live inputs
  std::string wave;                   ///< stem of waveform files of its own signals; empty: none
  std::string record = "";            ///< stem of records of its pins (PinRecord); empty: none
  /// Hears failed checks of the RTL; null: they end the run.
  std::function<void(const std::string&)> warn = {};
};

/// A row of the executable's table: RTL for the routers of a network, or for a part of them.
class NetworkRtl {
 public:
  NetworkRtl(std::string row, std::string meaning) : name(std::move(row)), what(std::move(meaning)) {}
  virtual ~NetworkRtl() = default;
  /// The network that the RTL was made for, over a 4x4 torus with packets until cycle 5000.
  virtual void set_defaults(BenchedNetwork& network) const = 0;
  /// ConfigError for a network that the RTL does not fit.
  virtual void check(const BenchedNetwork& network) const = 0;
  /// Fills `parts`, from which a network is made.
  virtual std::unique_ptr<PlacedRtl> place(const RtlOptions& options, const BenchedNetwork& network,
                                           const graph::Topology& topology,
                                           network::LoadedNetwork::Parts& parts) const = 0;
  /// A model can run beside it (RtlOptions::shadow).
  virtual bool has_shadow() const { return false; }
  /// It is whole routers, whose own signals can be shown and whose pins recorded (RtlOptions::wave, record).
  virtual bool is_routers() const { return false; }

  const std::string name, what;
};

using NetworkRtlTable = std::vector<std::unique_ptr<NetworkRtl>>;

/// The command line of a whole network with RTL. Exit status 0: no difference from the run that it is
/// compared with, if any; 1: one, or a failure; 2: input that is refused.
int network_main(int argc, char** argv, const NetworkRtlTable& table);

}  // namespace tsuji::bench
