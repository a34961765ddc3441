#pragma once

#include <memory>
#include <vector>

#include "tsuji/fabric/flit_network/loaded_network.h"
#include "tsuji/fabric/probes/packet_ledger.h"
#include "tsuji/fabric/probes/vc_network_waves.h"
#include "tsuji/observe/link_report.h"
#include "tsuji/observe/packet_records.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// Keys `trace.*` and `links.*` of the platform network.
struct NetworkWatchConfig {
  std::vector<unsigned> routers = {0};  ///< the one that every topology has
  bool slots = false;
  observe::LinkReportConfig links;
};
void add_watch_keys(config::KeyTable& keys, NetworkWatchConfig& config);

/// What `--trace` asks for on a loaded network: OUT/network.{fst,vcd} of chosen routers, OUT/packets.csv of
/// all packets.
class NetworkWatch {
 public:
  /// Before the network is made: refuses routers that do not exist.
  NetworkWatch(const NetworkWatchConfig& config, const RunOptions& options, const graph::Topology& topology);

  /// What the network is to call for every packet; empty where nobody wants to know.
  fabric::LoadedNetwork::OnDelivered on_delivered();
  /// Opens the files, which `results` lists, before the first cycle.
  void attach(fabric::LoadedNetwork& loaded, observe::Results& results);
  /// All cycles before `now` have run.
  void advance(Cycle now);
  /// What the links carried in a run of so many cycles.
  void report_links(const fabric::LoadedNetwork& loaded, Cycle cycles, observe::Results& results) const;
  /// The files' end; after a failure, too, with everything up to it.
  void close();

 private:
  void open_wave(fabric::LoadedNetwork& loaded, observe::Results& results);

  const NetworkWatchConfig config_;
  const RunOptions& options_;
  std::unique_ptr<observe::Wave> wave_;
  std::unique_ptr<fabric::VcNetworkWaves> waves_;
  std::unique_ptr<observe::PacketRecords> records_;
  std::unique_ptr<fabric::PacketLedger> ledger_;
};

}  // namespace tsuji::platform
