// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/machines/replay/rank_placement.h"
#include "tsuji/mpi/ranks.h"
#include "tsuji/observe/latency_histogram.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/results/results.h"
#include "tsuji/traffic/rail_source.h"
#include "tsuji/traffic/replay_source.h"
#include "tsuji/workload/rank_replay.h"
#include "tsuji/workload/trace.h"

namespace tsuji::machines {

/// Parameters of the replay of an application trace on nodes with one or more ranks and a network interface
/// that only cuts messages into packets.
struct TraceReplayConfig {
  double node_gflops = 1.0;       ///< speed of a simulated core in Gflop/s
  PlacementConfig places;         ///< places of the ranks
  traffic::PacketizerConfig nic;  ///< network interface
  /// Eager limit and algorithms; TraceReplay sets ns_per_flop and period.
  workload::ReplayConfig replay;

  void validate() const;  ///< throws ConfigError
};

/// Adds the keys nic.*, except nic.kind.
void add_packetizer_keys(config::KeyTable& keys, TraceReplayConfig& config);
/// Adds the keys node.* and collectives.*.
void add_replay_keys(config::KeyTable& keys, TraceReplayConfig& config);

/// Replay of a trace: the places of its ranks, and the sources of all nodes.
///
/// Contract: source() once for each node, or for each network port by rising number, before the run; after it
/// check_finished() and the results.
class TraceReplay {
 public:
  /// Throws ConfigError for an inconsistent trace, for one with more ranks than places or with a message that
  /// is too large.
  TraceReplay(const TraceReplayConfig& config, workload::Trace trace, double compute_scale,
              ClockPeriod period, unsigned nodes);
  /// Places the ranks of a trace. Throws ConfigError if they do not fit.
  using PlaceRanks = std::function<traffic::RankPlaces(const workload::Trace&)>;
  /// Replay on the places that `place` gives.
  TraceReplay(const TraceReplayConfig& config, workload::Trace trace, double compute_scale,
              ClockPeriod period, const PlaceRanks& place);

  /// Makes the source of a node, or of one of its network ports (Rails::place); called once for each. This
  /// object must outlive the source, which it accesses.
  std::unique_ptr<traffic::EmissionSource> source(NodeId place);

  /// Sets the network ports of the nodes, before source(); else each node has one.
  void set_rails(const traffic::Rails& rails) { rails_ = rails; }

  /// Sets an observer of all ranks, before source(); null: none.
  void set_watch(workload::RankWatch* watch) { watch_ = watch; }

  /// Nodes for which `is_here` is true are simulated by this process, and the others by the other processes
  /// of `processes`: from then on all of them call finished() and the results alike. Before the run.
  void divide(mpi::Ranks& processes, std::function<bool(NodeId node)> is_here);

  std::size_t ranks() const { return trace_.size(); }
  /// Places of the ranks.
  const traffic::RankPlaces& places() const { return places_; }
  bool finished() const;
  /// True if no rank does anything before a packet arrives (ReplaySource::is_quiet).
  bool is_quiet() const;
  /// Share of the operations that are complete, 0..1.
  double progress() const;
  /// Messages and bytes of the trace, equal to those sent and received at the end.
  workload::TraceCount count() const { return workload::count_of(trace_); }
  /// Point-to-point messages that the ranks have sent, including those between ranks of one node.
  workload::MessageCount sent() const;
  /// Cycles that a rank has waited for messages, mean of the ranks.
  double waiting_cycles_mean() const;
  /// Cycle in which the last rank finished.
  Cycle end_cycle() const;
  traffic::ReplayCounters counters() const;
  observe::LatencyHistogram message_latency() const;
  /// Messages with a permanently lost packet, in the order of their first loss.
  std::vector<workload::LostMessage> lost() const;
  /// Report of the events that ranks wait for, with a circular wait if there is one, and of lost messages.
  std::string wait_report() const;
  /// Throws ModelError unless all messages have been received and all sent bytes have arrived. Called after
  /// the end of the replay.
  void check_finished() const;
  /// Adds the metrics trace_* and message_*, and the table trace_ranks.
  void add_to(observe::Results& results) const;

 private:
  /// Counts of a rank that results contain.
  struct RankCounts {
    workload::ReplayTimes times;
    std::uint64_t operations = 0, done = 0;
    workload::MessageCount sent, received;
    bool finished = false;
    std::uint64_t unreceived = 0;                             ///< messages without a receive
    std::uint32_t unreceived_source = 0, unreceived_tag = 0;  ///< of the first one
  };
  static RankCounts counts_of(const workload::RankReplay& rank);
  bool is_here(std::size_t rank) const { return processes_ == nullptr || is_here_(places_.node_of[rank]); }
  const std::vector<RankCounts>& all_counts() const;
  void enter(const traffic::ReplaySource& source);

  const TraceReplayConfig config_;
  const workload::Trace trace_;
  const workload::ReplayConfig replay_;
  const traffic::RankPlaces places_;
  traffic::Rails rails_;
  std::map<NodeId, std::shared_ptr<traffic::ReplayNode>> nodes_;  ///< Nodes with several network ports.
  traffic::MessageLatencies message_latencies_;
  std::vector<const traffic::ReplaySource*> sources_;
  std::vector<const workload::RankReplay*>
      replays_;  ///< [rank]: the replay of the rank, at its node's source
  workload::RankWatch* watch_ = nullptr;
  mpi::Ranks* processes_ = nullptr;  ///< null: all nodes are here
  std::function<bool(NodeId)> is_here_;
  mutable std::vector<RankCounts> counts_;  ///< [rank], when they were last asked for
};

}  // namespace tsuji::machines
