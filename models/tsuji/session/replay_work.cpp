// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/platform/network_slices.h"
#include "tsuji/platform/trace_report.h"
#include "tsuji/session/collective_metrics.h"
#include "tsuji/session/node_work.h"
#include "tsuji/session/rank_report.h"
#include "tsuji/session/trace_lines.h"

namespace tsuji::session {
namespace {

workload::Trace replayed_trace(const NodeWorkParts& parts) {
  const NetworkWorkload& workload = parts.config.workload;
  const network::NetworkPlan& plan = parts.plan;
  workload::Trace trace =
      workload.load_trace(platform::trace_limits(ClockPeriod(parts.config.machine.clock_period_ps),
                                                 workload.compute_scale, 1.0 / workload.replay.node_gflops),
                          std::size_t{plan.topology.nodes()} * workload.replay.places.ranks_per_node);
  const traffic::RankPlaces places =
      machines::place_ranks(trace.size(), plan.topology.nodes(), workload.replay.places, trace.key);
  require_living_ranks(trace, places.node_of, plan.nodes);
  return trace;
}

class ReplayWork final : public NodeWork {
 public:
  explicit ReplayWork(const NodeWorkParts& parts)
      : config_(parts.config),
        plan_(parts.plan),
        options_(parts.options),
        replay_(config_.workload.replay, replayed_trace(parts), config_.workload.compute_scale,
                ClockPeriod(config_.machine.clock_period_ps), parts.plan.topology.nodes()) {
    if (!config_.workload.ranks && !options_.report) return;
    timeline_ = std::make_unique<machines::RankTimeline>(replay_.ranks());
    replay_.set_watch(timeline_.get());
  }

  void construct(network::LoadedNetwork::Parts parts) override {
    parts.make_source = [this](NodeId node) { return replay_.source(node); };
    const network::LoadedNetwork::OnDelivered record = std::move(parts.on_delivered);
    if (!record) parts.deliveries_lookahead_cycles = never;  // deliveries only enter sums
    parts.on_delivered = [this, record](const observe::DeliveredPacket& packet) {
      // Excludes control messages of routers, which are not the application's.
      if (packet.arrival == PacketArrival::first && !packet.source.is_router())
        metrics_.record_delivery(packet.tail_cycle - packet.created, packet.flits, packet.hops);
      if (record) record(packet);
    };
    loaded_.emplace(parts);
  }
  network::LoadedNetwork& network() override { return *loaded_; }

  void play(const std::function<void(Cycle now)>& advance, observe::Results& results) override {
    constexpr Cycle slice_cycles = 10'000;
    platform::NetworkSlices slices(*loaded_, options_, results, advance);
    try {
      for (Cycle next = 0; next != never; next = loaded_->next_activity()) {
        slices.run_to(std::max(next, loaded_->now() + slice_cycles));
        options_.progress->update(replay_.progress());
      }
      check();
    } catch (const platform::Interrupted&) {
    }
  }
  observe::NetworkMetrics metrics(const observe::Results& results) override {
    end_cycle_ = results.partial() ? loaded_->now() : replay_.end_cycle();
    metrics_.flits_offered =
        loaded_->retry() == nullptr ? loaded_->accounts().flits_sent() : loaded_->retry()->messages_flits();
    loaded_->accounts().add_counters(metrics_);
    return metrics_;
  }
  Cycle end_cycle() const override { return end_cycle_; }
  void add_to(observe::Results& results) override {
    if (results.partial()) return add_share_done(replay_.progress(), results);
    replay_.add_to(results);
    if (timeline_) add_rank_report(*timeline_, config_.workload.ranks, options_, results);
    if (config_.workload.kind != NetworkWorkloadKind::collective) return;
    const NodeWorkParts parts{config_, plan_, options_};
    add_collective(results, parts, replay_.ranks(), end_cycle_ - 1);
    add_collective_model(results, parts, replay_.places());
  }
  void show(observe::Results& results) override {
    if (config_.workload.kind == NetworkWorkloadKind::collective) return show_collective(results);
    results.show("trace_operations", "trace: operations of all ranks");
    results.show("trace_time_s", "trace: time of the slowest rank");
    results.show("trace_cycles", "trace: the same");
    results.show("trace_compute_us_mean", "trace: computing, mean of the ranks");
    results.show("trace_waiting_us_mean", "trace: waiting, mean of the ranks");
    results.show("trace_messages", "trace: messages, point to point");
    results.show("trace_message_bytes", "  their bytes");
    results.show("messages", "messages through the network");
    results.show("message_bytes", "  their bytes");
    results.show("local_messages", "messages within a node");
    results.show("message_latency_cycles_mean", "message latency, mean");
    results.show("packets_delivered", "packets");
    results.show("latency_cycles_mean", "packet latency, mean");
    results.show("hops_mean", "routers visited, mean");
  }
  std::string headline(const std::string& network_text) const override {
    if (config_.workload.kind == NetworkWorkloadKind::collective)
      return collective_headline(config_.workload.collective, replay_.ranks()) + " on " + network_text;
    return std::to_string(replay_.ranks()) + " ranks on " + network_text +
           platform::without_computing(replay_.count(), config_.workload.compute_scale);
  }

 private:
  void check() const {
    loaded_->check_conservation();
    if (replay_.finished()) return replay_.check_finished();
    std::string report = replay_.wait_report();
    const std::uint64_t dropped = loaded_->supervisor().packets_dropped();
    if (dropped != 0 && loaded_->retry() == nullptr)
      report += std::to_string(dropped) + " packets were dropped, and with them their messages\n";
    if (dropped == 0 && replay_.lost().empty())
      report +=
          "no message is lost: the trace keeps its ranks waiting by the order of their operations; a send of "
          "more than nic.eager_bytes waits for its receive\n";
    throw ModelError("trace", loaded_->now(), "", report);
  }

  const NetworkRunConfig& config_;
  const network::NetworkPlan& plan_;
  const platform::RunOptions& options_;
  std::unique_ptr<machines::RankTimeline> timeline_;  ///< null: nobody has asked for it
  machines::TraceReplay replay_;
  observe::NetworkMetrics metrics_;
  std::optional<network::LoadedNetwork> loaded_;
  Cycle end_cycle_ = 0;
};

}  // namespace

void add_share_done(double share, observe::Results& results) {
  results.metric("trace_share_done", share, "", "trace: share of its operations that was done");
}

std::unique_ptr<NodeWork> make_replay_work(const NodeWorkParts& parts) {
  return std::make_unique<ReplayWork>(parts);
}

}  // namespace tsuji::session
