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

/// A network before its first cycle, as instruments see it. All members outlive the instruments.
struct WatchedRun {
  const NetworkRunConfig& config;             ///< Configuration of the run.
  const network::NetworkPlan& plan;           ///< Topology, faults and routing.
  const platform::RunOptions& options;        ///< Options of the command line.
  network::LoadedNetwork& loaded;             ///< network() returns its topology
  network::Reconfiguration* reconfiguration;  ///< null: routers do not change their tables
  machines::Cenju4Nodes* cenju4_nodes;        ///< null: no Cenju-4 nodes
  observe::Wave* wave;                        ///< null without --waves
  instruments::FollowedPackets* followed;     ///< packets that the waveform's view shows; null: no waveform
  observe::RunLog* log;                       ///< null without --log
  observe::Results& results;                  ///< for the names of files that are opened
};

/// State at the end of a run.
struct RunEnd {
  Cycle cycles;                            ///< length of the run
  Cycle counted_to;                        ///< end of the cycles that instruments count; >= cycles
  const observe::NetworkMetrics& metrics;  ///< Metrics of the measurement and counters of the network.
  const network::UnreachablePackets& unreachable;  ///< Packets whose source or destination was cut off.
};

/// Watches one run of a network without changing it.
///
/// Contract: elaborate() once all instruments have been made; begin() before the first cycle, once all of
/// them have added their signals and log modules. During the run delivered() and advance(). close() once at
/// the end, also after a failure. Then, unless the run has failed, report() and show().
class Instrument {
 public:
  virtual ~Instrument() = default;
  /// Adds signals of modules that must be elaborated for that, and elaborates them (Cenju4Nodes::elaborate).
  virtual void elaborate() {}
  /// Prepares the instrument for the first cycle.
  virtual void begin() {}
  /// A packet was delivered (LoadedNetwork::OnDelivered); for kinds with sees_deliveries().
  virtual void delivered(const observe::DeliveredPacket&) {}
  /// All cycles before `now` have run.
  virtual void advance(Cycle /*now*/) {}
  /// Next cycle at which advance() must be called before any later cycle runs; `never` for any.
  virtual Cycle next_stop() const { return never; }
  /// Returns true if nothing that is still to come matters to the instrument, of a kind that watches a run
  /// alone (InstrumentKind::alone): the run ends.
  virtual bool done() const { return false; }
  /// Closes files, with everything up to the current cycle.
  virtual void close() {}
  /// Adds metrics and tables to the results.
  virtual void report(const RunEnd&, observe::Results&) {}
  /// Selects lines for the terminal.
  virtual void show(observe::Results&) {}
};

}  // namespace tsuji::session
