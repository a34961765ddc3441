// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::instruments {

/// Names of a network's modules in the log, where it is one of several.
struct CrosspointLogNames {
  std::string switches = "switch.";  ///< before stage and number
  std::string nodes = "node.";       ///< before the number
  std::string gateway;               ///< of the module at its line
};

/// Lines about the switches and nodes of a multistage network: probes on those channels and synchronization
/// tables that the log asks for. Made after elaboration and before the start; the network and the log outlive
/// its run.
class CrosspointLog {
 public:
  CrosspointLog(network::CrosspointNetwork& network, observe::RunLog& log, CrosspointLogNames names = {});
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
  const CrosspointLogNames names_;
  std::vector<std::unique_ptr<LinkLog>> links_;
  std::vector<std::unique_ptr<TableLog>> tables_;
};

}  // namespace tsuji::instruments
