// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/machines/grouped/grouped_config.h"
#include "tsuji/machines/replay/trace_replay.h"
#include "tsuji/machines/tree/tree_config.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/traffic/link_bridge.h"
#include "tsuji/workload/npb/npb.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::session {

enum class NetworkWorkloadKind : std::uint8_t { synthetic, trace };
enum class NicKind : std::uint8_t { plain, cenju4, cenju4_groups, cenju4_tree };

/// Workload at the nodes of a network: synthetic traffic (keys traffic.*), or the ranks of a trace behind
/// network interfaces.
struct NetworkWorkload {
  NetworkWorkloadKind kind = NetworkWorkloadKind::synthetic;
  std::string trace;
  std::string trace_format = "ti";  ///< a word of `trace_formats`
  workload::TraceFormats trace_formats = workload::trace_formats();
  workload::NpbConfig npb;     ///< its name not empty: in the place of `trace`
  double compute_scale = 1.0;  ///< stretches a trace's compute times
  NicKind nic = NicKind::plain;
  machines::TraceReplayConfig replay;  ///< plain
  machines::Cenju4Config cenju4;       ///< what is in a Cenju-4 node
  machines::GroupsConfig groups;       ///< cenju4_groups
  machines::TreeConfig tree;           ///< cenju4_tree
  traffic::LinkBridgeConfig bridge;    ///< of Cenju-4 nodes or groups
  traffic::RetryConfig retry;

  /// A benchmark that is named is what runs.
  void resolve();
  NetworkWorkload();  ///< of cenju4: the message library does without multicast and synchronization
  void validate(const network::NetworkConfig& network) const;  ///< throws ConfigError
  /// The trace of the ranks: of `npb`, of the file `trace`, or the one that comes with Tsuji. ConfigError for
  /// what the reader refuses, and where ranks disagree.
  workload::Trace load_trace(const workload::TraceLimits& limits) const;
  /// Virtual channels between routers that the nodes' routing does not have.
  unsigned own_vcs() const;
  /// Nodes that a node of the network has, or joins as a gateway.
  unsigned nodes_each() const { return nic == NicKind::cenju4_groups ? groups.members : 1; }
  /// ConfigError where there is no load to sweep.
  void check_sweep() const;
};

/// Binds the keys workload.*, nic.*, node.*, groups.*, gateway.*, switch.*, tree.*, collectives.* and
/// retry.*, and those of what is in a Cenju-4 node.
void add_network_workload_keys(config::KeyTable& keys, NetworkWorkload& workload);

}  // namespace tsuji::session
