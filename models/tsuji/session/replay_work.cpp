// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "tsuji/platform/trace_report.h"
#include "tsuji/session/collective_metrics.h"
#include "tsuji/session/rank_report.h"
#include "tsuji/session/ranks_work.h"
#include "tsuji/session/trace_lines.h"

namespace tsuji::session {
namespace {

workload::Trace replayed_trace(const NodeWorkParts& parts) {
  const NetworkWorkload& workload = parts.config.workload;
  const network::NetworkPlan& plan = parts.plan;
  workload::Trace trace =
      workload.load_trace(platform::trace_limits(ClockPeriod(parts.config.machine.clock_period_ps),
                                                 workload.compute_scale, 1.0 / workload.replay.node_gflops),
                          std::size_t{plan.nodes.nodes} * workload.replay.places.ranks_per_node);
  const traffic::RankPlaces places =
      machines::place_ranks(trace.size(), plan.nodes.nodes, workload.replay.places, trace.key);
  require_living_ranks(trace, places.node_of, plan.nodes);
  return trace;
}

class ReplayWork final : public RanksWork {
 public:
  explicit ReplayWork(const NodeWorkParts& parts)
      : RanksWork(parts),
        replay_(config_.workload.replay, replayed_trace(parts), config_.workload.compute_scale,
                ClockPeriod(config_.machine.clock_period_ps), parts.plan.nodes.nodes) {
    replay_.set_rails(parts.plan.rails);
    if (!config_.workload.ranks && !options_.report) return;
    timeline_ = std::make_unique<machines::RankTimeline>(replay_.ranks());
    replay_.set_watch(timeline_.get());
  }

  void add_to(observe::Results& results) override {
    if (results.partial()) return add_share_done(replay_.progress(), results);
    replay_.add_to(results);
    if (timeline_) add_rank_report(*timeline_, config_.workload.ranks, options_, results);
    if (config_.workload.kind != NetworkWorkloadKind::collective) return;
    const NodeWorkParts parts{config_, plan_, options_};
    add_collective(results, parts, replay_.ranks(), end_cycle() - 1);
    has_model_ = add_collective_model(results, parts, replay_.places());
  }
  void show(observe::Results& results) override {
    const bool collective = config_.workload.kind == NetworkWorkloadKind::collective;
    if (collective) {
      show_collective(results, has_model_);
    } else {
      show_trace(results);
    }
    results.show("messages", "messages through the network");
    results.show("message_bytes", "  their bytes");
    if (!collective) results.show("local_messages", "messages within a node");
    if (!collective) results.show("message_latency_cycles_mean", "message latency, mean");
    results.show("packets_delivered", "packets");
    results.show("latency_cycles_mean", "packet latency, mean");
    results.show("hops_mean", "routers visited, mean");
  }
  static void show_trace(observe::Results& results) {
    results.show("trace_operations", "trace: operations of all ranks");
    results.show("trace_time_s", "trace: time of the slowest rank");
    results.show("trace_cycles", "trace: the same");
    results.show("trace_compute_us_mean", "trace: computing, mean of the ranks");
    results.show("trace_waiting_us_mean", "trace: waiting, mean of the ranks");
    results.show("trace_messages", "trace: messages, point to point");
    results.show("trace_message_bytes", "  their bytes");
  }
  std::string headline(const std::string& network_text) const override {
    if (config_.workload.kind == NetworkWorkloadKind::collective)
      return collective_headline(config_.workload.collective, replay_.ranks()) + " on " + network_text;
    return std::to_string(replay_.ranks()) + " ranks on " + network_text +
           platform::without_computing(replay_.count(), config_.workload.compute_scale);
  }

 private:
  std::unique_ptr<traffic::EmissionSource> source(NodeId node) override { return replay_.source(node); }
  void divide(mpi::Ranks& processes, const std::function<bool(NodeId)>& is_here) override {
    if (timeline_)
      throw ConfigError(
          "mpirun", std::to_string(processes.count()) + " ranks",
          "the timelines of the trace's ranks (workload.ranks, --report) are written in one process",
          "one process");
    replay_.divide(processes, is_here);
  }
  bool finished() const override { return replay_.finished(); }
  double progress() const override { return replay_.progress(); }
  Cycle last_cycle() const override { return replay_.end_cycle(); }
  void check_finished() const override { replay_.check_finished(); }
  std::string wait_report() const override { return replay_.wait_report(); }
  bool lost_messages() const override { return !replay_.lost().empty(); }

  std::unique_ptr<machines::RankTimeline> timeline_;  ///< null: nobody has asked for it
  bool has_model_ = false;                            ///< the results have collective_model_cycles
  machines::TraceReplay replay_;
};

}  // namespace

void add_share_done(double share, observe::Results& results) {
  results.metric("trace_share_done", share, "", "trace: share of its operations that was done");
}

std::unique_ptr<NodeWork> make_replay_work(const NodeWorkParts& parts) {
  return std::make_unique<ReplayWork>(parts);
}

}  // namespace tsuji::session
