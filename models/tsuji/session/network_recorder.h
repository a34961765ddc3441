// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/instruments/lookup_waves.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/instruments/reconfiguration_waves.h"
#include "tsuji/instruments/vc_network_waves.h"
#include "tsuji/machines/cenju4/cenju4_nodes.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/observe/link_report.h"
#include "tsuji/observe/packet_records.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::session {

/// Keys `trace.*` and `links.*` of the platform network.
struct NetworkRecorderConfig {
  std::vector<unsigned> routers = {0};  ///< the one that every topology has
  std::vector<unsigned> nodes = {0};    ///< whole Cenju-4 nodes, where there are any
  std::string packet;                   ///< on whose route the view opens; empty: the first one
  bool slots = false;
  observe::LinkReportConfig links;
  /// ConfigError for a router or node that does not exist, whether there is a waveform or not.
  void validate_with(const graph::Topology& topology) const;
  /// The packet's number, none where there is none. ConfigError for a text that is no packet's name.
  std::optional<PacketId> followed() const;
};
void add_recorder_keys(config::KeyTable& keys, NetworkRecorderConfig& config);

/// Records a loaded network as `--trace` asks: waves of chosen routers in OUT/network.{fst,vcd}, packet
/// records of all packets in OUT/packets.csv; and the links' loads.
class NetworkRecorder {
 public:
  /// Before the network is made: refuses routers that do not exist.
  NetworkRecorder(const NetworkRecorderConfig& config, const platform::RunOptions& options,
                  const graph::Topology& topology);

  /// Called by the network for every packet; empty without packet records.
  network::LoadedNetwork::OnDelivered on_delivered();
  /// Opens the files, which `results` lists, before the first cycle. Null `reconfiguration`: the network's
  /// routers do not change their tables; null `nodes`: behind it are none of Cenju-4.
  void attach(network::LoadedNetwork& loaded, observe::Results& results,
              network::Reconfiguration* reconfiguration, machines::Cenju4Nodes* nodes = nullptr);
  /// All cycles before `now` have run.
  void advance(Cycle now);
  /// The links' loads of a run of `cycles` cycles, and warnings of files that are empty. After close().
  void report(const network::LoadedNetwork& loaded, Cycle cycles, observe::Results& results) const;
  /// Closes the files; after a failure, too, with everything up to it.
  void close();

 private:
  void open_wave(network::LoadedNetwork& loaded, observe::Results& results,
                 network::Reconfiguration* reconfiguration, machines::Cenju4Nodes* nodes);
  void add_nodes(machines::Cenju4Nodes& nodes);
  std::vector<std::string> signal_names() const;
  void open_on_packet();

  const NetworkRecorderConfig config_;
  const platform::RunOptions& options_;
  const ClockDomain* domain_ = nullptr;  ///< of the waves
  unsigned buffer_flits_ = 0;
  std::unique_ptr<observe::Wave> wave_;
  std::unique_ptr<instruments::VcNetworkWaves> waves_;
  std::unique_ptr<instruments::LookupWaves> lookup_waves_;
  std::unique_ptr<instruments::ReconfigurationWaves> reconfiguration_waves_;
  std::unique_ptr<observe::PacketRecords> records_;
  std::unique_ptr<instruments::PacketLedger> ledger_;
};

}  // namespace tsuji::session
