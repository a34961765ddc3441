// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/observe/latency_histogram.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/results/results.h"
#include "tsuji/traffic/replay_source.h"
#include "tsuji/workload/rank_replay.h"
#include "tsuji/workload/trace.h"

namespace tsuji::machines {

enum class RankPlacement : std::uint8_t { block, round_robin };

/// An application trace on the nodes of a network, each with one or more ranks behind a plain network
/// interface.
struct TraceReplayConfig {
  double node_gflops = 1.0;  ///< 10^9 flops a second; 1: as the recording core
  unsigned ranks_per_node = 1;
  RankPlacement placement = RankPlacement::block;
  traffic::PacketizerConfig nic;
  /// Eager limit and algorithms; ns_per_flop and period are filled in by TraceReplay.
  workload::ReplayConfig replay;

  void validate() const;  ///< throws ConfigError
};

/// Binds the keys node.*, nic.* (but for its kind), workload.ranks_per_node, workload.placement and
/// collectives.*, each section by a function of its own, because keys of a section stand together.
void add_packetizer_keys(config::KeyTable& keys, TraceReplayConfig& config);
void add_placement_keys(config::KeyTable& keys, TraceReplayConfig& config);
void add_replay_keys(config::KeyTable& keys, TraceReplayConfig& config);

/// The nodes of a trace's ranks; ConfigError of `key`, which names the trace, for more ranks than places.
traffic::RankPlaces place_ranks(std::size_t ranks, unsigned nodes, unsigned ranks_per_node,
                                RankPlacement placement, const char* key = "workload.trace");

/// A trace, its ranks' places, and the sources of all nodes.
class TraceReplay {
 public:
  /// ConfigError for a trace that the reader refuses, that has more ranks than places, or a message too
  /// large.
  TraceReplay(const TraceReplayConfig& config, workload::Trace trace, double compute_scale,
              ClockPeriod period, unsigned nodes);

  /// The source of a node, once for each. This object outlives it, and asks it as long as it is used.
  std::unique_ptr<traffic::EmissionSource> source(NodeId node);

  std::size_t ranks() const { return trace_.size(); }
  bool finished() const;
  /// Operations done over all operations.
  double progress() const;
  /// Messages and bytes by the trace's own count, equal to those sent and those received at the end.
  workload::TraceCount count() const { return workload::count_of(trace_); }
  /// Point-to-point messages that the ranks have sent, with those between ranks of a node.
  workload::MessageCount sent() const;
  /// The cycle in which the last rank finished.
  Cycle end_cycle() const;
  traffic::ReplayCounters counters() const;
  const observe::LatencyHistogram& message_latency() const { return message_latency_; }
  /// Messages that lack a packet for good, in the order of their first loss.
  std::vector<workload::LostMessage> lost() const;
  /// Wait-for report of the ranks, with a cycle if there is one, and the messages that were lost.
  std::string wait_report() const;
  /// All messages have been taken, and all bytes that left have arrived; ModelError if not. For when all is
  /// over.
  void check_finished() const;
  /// The metrics trace_* and message_*, and the table trace_ranks.
  void add_to(observe::Results& results) const;

 private:
  const workload::RankReplay& rank(std::size_t rank) const { return *replays_[rank]; }

  const TraceReplayConfig config_;
  const workload::Trace trace_;
  const workload::ReplayConfig replay_;
  const traffic::RankPlaces places_;
  observe::LatencyHistogram message_latency_;
  std::vector<const traffic::ReplaySource*> sources_;
  std::vector<const workload::RankReplay*> replays_;  ///< by rank
};

}  // namespace tsuji::machines
