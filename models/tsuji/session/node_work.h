// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tsuji/machines/cenju4/cenju4_nodes.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {

/// Work of the nodes in one run of a flit network: the packets of a load, or the ranks of a trace with their
/// network interfaces.
///
/// Contract: construct(), play() and metrics() once each, in this order; network() and cenju4_nodes() after
/// construct(), all others after metrics().
class NodeWork {
 public:
  virtual ~NodeWork() = default;
  /// Constructs the network with this work at its nodes. `parts` is complete except for sources and
  /// measurement.
  virtual void construct(network::LoadedNetwork::Parts parts) = 0;
  virtual network::LoadedNetwork& network() = 0;
  /// The Cenju-4 nodes of the work; null: it has none.
  virtual machines::Cenju4Nodes* cenju4_nodes() { return nullptr; }
  /// Runs to the end of the work, and calls advance(now) between slices. After a signal the results are
  /// partial. ModelError if packets are missing, or if ranks wait for each other forever.
  virtual void play(const std::function<void(Cycle now)>& advance, observe::Results& results) = 0;
  /// Closes the measurement and returns its metrics.
  virtual observe::NetworkMetrics metrics(const observe::Results& results) = 0;
  virtual Cycle end_cycle() const = 0;                       ///< last cycle of the work
  virtual Cycle rate_cycles() const { return end_cycle(); }  ///< number of cycles that rates refer to
  /// Adds the metrics and tables that only this work has.
  virtual void add_to(observe::Results& results) = 0;
  /// Packets that could not be sent because of faults in the first cycle.
  virtual network::UnreachablePackets unreachable() const { return {}; }
  /// Selects the lines on the terminal.
  virtual void show(observe::Results& results) = 0;
  virtual std::string headline(const std::string& network_text) const = 0;
};

/// Configuration of a run, its plan, and the options of its command line. All outlive the work.
struct NodeWorkParts {
  const NetworkRunConfig& config;
  const network::NetworkPlan& plan;
  const platform::RunOptions& options;
};

/// Makes the work that workload.kind and nic.kind select. ConfigError for traffic or a trace that does not
/// fit the network.
std::unique_ptr<NodeWork> make_node_work(const NodeWorkParts& parts);

std::unique_ptr<NodeWork> make_synthetic_work(const NodeWorkParts& parts);
/// Makes the work of a trace's ranks with network interfaces that only divide messages into packets.
std::unique_ptr<NodeWork> make_replay_work(const NodeWorkParts& parts);
/// Makes the work of several jobs with such interfaces. ConfigError for jobs that do not fit the machine.
std::unique_ptr<NodeWork> make_jobs_work(const NodeWorkParts& parts);
/// Makes the work of a trace's ranks on whole Cenju-4 nodes, with real bytes.
std::unique_ptr<NodeWork> make_cenju4_work(const NodeWorkParts& parts);

}  // namespace tsuji::session
