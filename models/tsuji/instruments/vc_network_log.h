// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/packet.h"
#include "tsuji/faults/fault_schedule.h"
#include "tsuji/network/network_supervisor.h"
#include "tsuji/network/reconfiguration/reconfiguration.h"
#include "tsuji/network/retry_accounts.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::instruments {

/// Writes log lines about the routers, links and nodes of a virtual-channel network, by probes on the routers
/// and channels that the log selects. Constructed before the simulation starts; network and log outlive the
/// run.
///
/// The line of a head's departure has its waits in this router, as in packet records: wait_vc, wait_credit
/// and wait_switch (PacketLedger).
class VcNetworkLog {
 public:
  struct Parts {
    network::VcNetwork& network;
    const PacketPool& pool;
    observe::RunLog& log;
  };
  explicit VcNetworkLog(const Parts& parts);
  ~VcNetworkLog();
  VcNetworkLog(const VcNetworkLog&) = delete;
  VcNetworkLog& operator=(const VcNetworkLog&) = delete;

  static std::vector<observe::LogModules> modules(const graph::Topology& topology);

  // Events of other parts of the network.

  /// Failures and returns, known before the run.
  void faults(const faults::FaultSchedule& schedule);
  void delivered(const observe::DeliveredPacket& packet);
  /// Implements NetworkSupervisor::OnDropped.
  void dropped(const Packet& packet, network::NetworkDropCause cause,
               const network::VcNetwork::InputPlace& place, Cycle now);
  /// Implements Reconfiguration::OnPhase.
  void phase(graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at);
  /// Implements RetryAccounts::OnPacket. The packet's head has not left yet.
  void retried(const Packet& packet, traffic::RetryState::Kind kind);
  /// Implements RetryAccounts::OnGivenUp.
  void given_up(NodeId source, const traffic::RetryKey& key, Cycle now);

 private:
  class RouterLog;
  class ChannelLog;
  using Module = observe::RunLog::Module;

  const Module& module_of(End end) const {
    return end.is_router() ? router_modules_[end.router()] : node_modules_[end.node()];
  }
  /// Module of a channel between routers.
  const Module& link_module(const network::VcNetwork::ChannelPlace& place) const {
    return link_modules_[parts_.network.far(place.from.router, place.from.port).link];
  }
  std::string port_text(graph::RouterId router, unsigned port) const;
  std::string repeat_text(const Packet& packet);

  const Parts parts_;
  std::vector<Module> router_modules_, link_modules_, node_modules_;
  std::vector<std::unique_ptr<RouterLog>> routers_;  ///< [router]; null: no lines about it
  std::vector<std::unique_ptr<ChannelLog>> channels_;
  std::unordered_map<PacketId, traffic::RetryState::Kind>
      retries_;  ///< kinds of repeats and acknowledgements whose heads have not left
};

}  // namespace tsuji::instruments
