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
#include "tsuji/workload/collective_plan.h"
#include "tsuji/workload/npb/npb.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::session {

enum class NetworkWorkloadKind : std::uint8_t { synthetic, trace, collective, jobs };
enum class NicKind : std::uint8_t { packetizer, cenju4, cenju4_groups, cenju4_tree };

/// Several jobs on one network (kind jobs).
struct JobsConfig {
  std::string jobs;       ///< path of the file that read_jobs() reads
  std::string job_alone;  ///< name of the only job that runs, on its place beside the others; empty: all
  bool jobs_share_nodes = false;  ///< a node may belong to several jobs
  Cycle jobs_cycles = 100'000;    ///< length of a run of synthetic jobs alone
};

/// Workload of the nodes of a network: synthetic traffic (keys traffic.*), the ranks of a trace or of a
/// collective operation with network interfaces, or several jobs of these kinds.
struct NetworkWorkload {
  NetworkWorkloadKind kind = NetworkWorkloadKind::synthetic;
  JobsConfig jobs;
  std::string trace;
  std::string trace_format = "ti";  ///< a value of `trace_formats`
  workload::TraceFormats trace_formats = workload::trace_formats();
  workload::NpbConfig npb;              ///< a benchmark instead of `trace`, if its name is not empty
  workload::CollectiveLoad collective;  ///< with kind collective
  double trace_share = 1.0;             ///< share of the trace that is replayed, its first part
  double compute_scale = 1.0;           ///< factor on a trace's compute times
  NicKind nic = NicKind::packetizer;
  bool ranks = false;                  ///< timeline, messages and critical path of the ranks
  machines::TraceReplayConfig replay;  ///< packetizing interfaces (nic.kind packetizer)
  machines::Cenju4Config cenju4;       ///< configuration inside a Cenju-4 node
  machines::GroupsConfig groups;       ///< groups of nodes (nic.kind cenju4_groups)
  machines::TreeConfig tree;           ///< tree of units (nic.kind cenju4_tree)
  traffic::LinkBridgeConfig bridge;    ///< bridges of Cenju-4 nodes or groups to the network
  traffic::RetryConfig retry;

  /// A benchmark that is named replaces the trace.
  void resolve();
  NetworkWorkload();  ///< default of cenju4: message library without multicast and synchronization
  void validate(const network::NetworkConfig& network) const;  ///< throws ConfigError
  /// Returns true for ranks with network interfaces: a trace, a collective operation, jobs.
  bool has_ranks() const { return kind != NetworkWorkloadKind::synthetic; }
  /// ConfigError for packets without a class in a network with classes of messages.
  void validate_classes(const network::NetworkConfig& network) const;
  void validate_congestion(const network::NetworkConfig& network) const;
  /// Loads the trace of the ranks: the collective operation, or the first `trace_share` of the benchmark
  /// `npb`, of the file `trace`, or of the trace that comes with Tsuji. `places` is the number of ranks that
  /// the machine has room for. ConfigError for errors found by the reader, and if ranks disagree.
  workload::Trace load_trace(const workload::TraceLimits& limits, std::size_t places) const;
  /// Number of virtual channels between routers that the nodes' routing does not use.
  unsigned own_vcs() const;
  /// Number of nodes that a node of the network contains, or connects as a gateway.
  unsigned nodes_each() const { return nic == NicKind::cenju4_groups ? groups.members : 1; }
  /// ConfigError if there is no load to sweep.
  void check_sweep() const;
};

/// Adds the keys of a trace or a collective operation, each of which has an effect with its workload.kind.
void add_application_keys(config::KeyTable& keys, NetworkWorkload& workload);

/// Adds the keys workload.*, nic.*, node.*, groups.*, gateway.*, switch.*, tree.*, collectives.* and retry.*,
/// and those of a Cenju-4 node.
void add_network_workload_keys(config::KeyTable& keys, NetworkWorkload& workload);

}  // namespace tsuji::session
