// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "network/rtl_places.h"
#include "tsuji/observe/wave_file.h"
#include "tsuji/session/network_faults.h"
#include "tsuji/session/network_feature.h"
#include "tsuji/session/network_run.h"

// The platform `network` with RTL in some of its places.

namespace tsuji::bench {

/// Keys for RTL in a network.
struct RtlOptions {
  RtlPlaces places;
  bool shadow = false;      ///< a model runs beside each router of RTL, on its live inputs
  std::string wave = "";    ///< stem of waveform files of the RTL's pins and signals; empty: none
  std::string record = "";  ///< stem of records of its pins (PinRecord); empty: none
  /// Receiver of the RTL's failed checks; null: a failed check ends the run.
  std::function<void(const std::string&)> warn = {};
  Cycle wave_first = 0, wave_last = never;  ///< cycles in waveforms
  double stall = 0;            ///< share of cycles in which a port of a router's RTL takes nothing
  bool packet_shadow = false;  ///< beside each router of RTL the network's model, whose packets are compared
  Cycle delay = 0;             ///< most cycles by which flits and credits come to the RTL's pins later
  observe::WaveFileFormat wave_format = observe::default_wave_format();  ///< of the waveform of pins
};

/// A row of the executable's table: RTL for the routers of a network, or for a part of them. Several rows may
/// have one device; the first one that fits the network is taken.
class NetworkRtl {
 public:
  NetworkRtl(RtlDevice word, std::string row, std::string meaning)
      : device(std::move(word)), name(std::move(row)), what(std::move(meaning)) {}
  virtual ~NetworkRtl() = default;
  /// ConfigError for a network that the RTL does not fit.
  virtual void check(const session::NetworkRunConfig& config, const graph::Topology& topology) const = 0;
  /// Fills `parts`, from which a network that has passed check() is made; may give null.
  virtual std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options,
                                                        const session::NetworkRunConfig& config,
                                                        const graph::Topology& topology,
                                                        network::LoadedNetwork::Parts& parts) const = 0;
  /// True if a model can run in parallel with the RTL (RtlOptions::shadow).
  virtual bool has_shadow() const { return false; }
  /// True if the RTL is whole routers, so that their signals and pins can be recorded (RtlOptions::wave,
  /// record).
  virtual bool is_routers() const { return false; }

  const RtlDevice device;
  const std::string name, what;
};

using NetworkRtlTable = std::vector<std::unique_ptr<NetworkRtl>>;

/// ConfigError for a key whose value differs from the RTL's parameter.
void want(bool fits, const char* key, const std::string& value, const std::string& accepted);
void want_number(const char* key, std::uint64_t value, std::uint64_t of_rtl);

/// The platform `network` (session::network_main) with the RTL of a table, which outlives it: --rtl and keys
/// rtl.*. Defaults are a 4x4 torus that is empty at the end, and what `set_defaults` makes of it. Returns the
/// exit status.
int rtl_network_main(int argc, char** argv, const NetworkRtlTable& table,
                     const std::function<void(session::NetworkRunConfig&)>& set_defaults);

}  // namespace tsuji::bench
