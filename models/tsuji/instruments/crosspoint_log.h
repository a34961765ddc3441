// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::instruments {

/// Prefixes of the names of a network's modules in the log, to distinguish several networks.
struct CrosspointLogNames {
  std::string switches = "switch.";  ///< prefix of stage and number
  std::string nodes = "node.";       ///< prefix of the number
  std::string gateway;               ///< name of the module at the gateway's line
};

/// Writes log lines about the switches and nodes of a multistage network, by probes on the channels and
/// synchronization tables that the log selects. Constructed after elaboration and before the start; network
/// and log outlive the run.
class CrosspointLog {
 public:
  CrosspointLog(network::CrosspointNetwork& network, observe::RunLog& log, CrosspointLogNames names = {});
  ~CrosspointLog();
  CrosspointLog(const CrosspointLog&) = delete;
  CrosspointLog& operator=(const CrosspointLog&) = delete;

  static std::vector<observe::LogModules> modules(const graph::Multistage& topology);
  /// For networks whose nodes are sinks of packets.
  void delivered(const observe::DeliveredPacket& packet);

 private:
  class LinkLog;
  class TableLog;

  observe::RunLog& log_;
  const CrosspointLogNames names_;
  std::vector<std::unique_ptr<LinkLog>> links_;
  std::vector<std::unique_ptr<TableLog>> tables_;
};

}  // namespace tsuji::instruments
