// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::instruments {

/// Lines about the switches and nodes of a multistage network: probes on those channels and synchronization
/// tables that the log asks for. Made after elaboration and before the start; the network and the log outlive
/// its run.
class CrosspointLog {
 public:
  CrosspointLog(network::CrosspointNetwork& network, observe::RunLog& log);
  ~CrosspointLog();
  CrosspointLog(const CrosspointLog&) = delete;
  CrosspointLog& operator=(const CrosspointLog&) = delete;

  static std::vector<observe::LogModules> modules(const graph::Multistage& topology);
  /// For networks whose nodes only take packets.
  void delivered(const observe::DeliveredPacket& packet);

 private:
  class LinkLog;
  class TableLog;

  observe::RunLog& log_;
  std::vector<std::unique_ptr<LinkLog>> links_;
  std::vector<std::unique_ptr<TableLog>> tables_;
};

}  // namespace tsuji::instruments
