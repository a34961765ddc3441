// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/instruments/followed_packets.h"
#include "tsuji/machines/cenju4/cenju4_nodes.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/network/reconfiguration/reconfiguration.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/run_log.h"
#include "tsuji/observe/wave.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"

namespace tsuji::session {

struct NetworkRunConfig;

/// A network before its first cycle, as instruments see it. All members outlive them.
struct WatchedRun {
  const NetworkRunConfig& config;
  const network::NetworkPlan& plan;
  const platform::RunOptions& options;
  network::LoadedNetwork& loaded;             ///< its network() knows the topology
  network::Reconfiguration* reconfiguration;  ///< null: routers do not change their tables
  machines::Cenju4Nodes* cenju4_nodes;        ///< null: there are none
  observe::Wave* wave;                        ///< null without --waves
  instruments::FollowedPackets* followed;     ///< packets on which the waveform opens; null without one
  observe::RunLog* log;                       ///< null without --log
  observe::Results& results;                  ///< for the names of files that are opened
};

/// The end of a run.
struct RunEnd {
  Cycle cycles;  ///< of the run
  const observe::NetworkMetrics& metrics;
  const network::UnreachablePackets& unreachable;
};

/// Watches one run of a network, and changes nothing in it.
///
/// Contract: elaborate() when all instruments are in their places; begin() before the first cycle, when all
/// of them have added their signals and log modules; delivered() and advance() during the run; close() once
/// at its end, after a failure, too; then report() and show() of a run that has not failed.
class Instrument {
 public:
  virtual ~Instrument() = default;
  /// Adds signals of modules that must be elaborated, and elaborates them (Cenju4Nodes::elaborate).
  virtual void elaborate() {}
  virtual void begin() {}
  /// For kinds that see deliveries; LoadedNetwork::OnDelivered.
  virtual void delivered(const observe::DeliveredPacket&) {}
  /// All cycles before `now` have run.
  virtual void advance(Cycle /*now*/) {}
  /// Closes files, with everything up to now.
  virtual void close() {}
  /// Adds metrics and tables.
  virtual void report(const RunEnd&, observe::Results&) {}
  /// Chooses lines for the terminal.
  virtual void show(observe::Results&) {}
};

}  // namespace tsuji::session
