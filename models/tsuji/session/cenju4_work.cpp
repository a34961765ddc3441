// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/host/library/trace_program.h"
#include "tsuji/platform/cenju4_job.h"
#include "tsuji/platform/trace_report.h"
#include "tsuji/session/bridged_kinds.h"
#include "tsuji/session/collective_metrics.h"
#include "tsuji/session/node_work.h"
#include "tsuji/session/trace_lines.h"

namespace tsuji::session {
namespace {

workload::Trace played_trace(const NodeWorkParts& parts) {
  const NetworkWorkload& workload = parts.config.workload;
  return workload.load_trace(
      platform::trace_limits(ClockPeriod(parts.config.machine.clock_period_ps), workload.compute_scale),
      std::size_t{parts.plan.topology.nodes()} * workload.nodes_each());
}

/// The ranks are on the first nodes; the other nodes have none.
machines::Cenju4Config nodes_of(const NodeWorkParts& parts, const workload::Trace& trace) {
  const network::NetworkPlan& plan = parts.plan;
  const NetworkWorkload& workload = parts.config.workload;
  const std::size_t count = std::size_t{plan.topology.nodes()} * workload.nodes_each();
  std::vector<NodeId> node_of(std::min<std::size_t>(trace.size(), count)), end_of;
  std::iota(node_of.begin(), node_of.end(), NodeId{0});
  for (const NodeId node : node_of) end_of.push_back(node / workload.nodes_each());
  require_living_ranks(trace, end_of, plan.nodes, workload.nodes_each() == 1 ? "at" : "behind");
  machines::Cenju4Config nodes = workload.cenju4;
  if (trace.size() < count) nodes.jobs = {node_of};
  return bridged_kind(workload.nic).complete(std::move(nodes), parts.config.machine, plan.topology, workload);
}

class Cenju4Work final : public NodeWork {
 public:
  explicit Cenju4Work(const NodeWorkParts& parts)
      : config_(parts.config),
        workload_(parts.config.workload),
        kind_(bridged_kind(workload_.nic)),
        plan_(parts.plan),
        options_(parts.options),
        trace_(played_trace(parts)),
        nodes_(nodes_of(parts, trace_)) {
    machines::BridgedNodes::validate_retry(workload_.retry, workload_.bridge, parts.plan.topology.nodes());
  }

  void construct(network::LoadedNetwork::Parts parts) override {
    machines::BridgedNodes::Parts machine{parts.config, parts.topology, parts.routing, nodes_,
                                          workload_.bridge};
    machine.seed = parts.seed;
    machine.threads = parts.threads;
    machine.counts_waits = parts.counts_waits;
    machine.flits_are_observed = parts.flits_are_observed;
    machine.cycles_are_shown = parts.cycles_are_shown;
    machine.heads_are_observed = parts.heads_are_observed;
    machine.only_results = parts.only_results;
    machine.on_delivered = parts.on_delivered;
    machine.retry = parts.retry;
    machine.fault_reaction = parts.fault_reaction;
    machine_ = kind_.make(machine, plan_, workload_);
    options_.progress->begin("");
    job_.emplace(*machine_);
    job_->load([this](host::RankRuntime& runtime) {
      return std::make_unique<host::TraceProgram>(runtime, trace_, workload_.compute_scale);
    });
  }
  network::LoadedNetwork& network() override { return machine_->network(); }
  machines::Cenju4Nodes* cenju4_nodes() override { return &*machine_; }
  void play(const std::function<void(Cycle now)>& advance, observe::Results& results) override {
    try {
      job_->run(
          [&](Cycle now) {
            advance(now);
            options_.progress->update(platform::trace_progress(*job_));
            options_.check_interruption(results);
          },
          options_.next_stop);
    } catch (const platform::Interrupted&) {
    }
  }
  observe::NetworkMetrics metrics(const observe::Results& results) override {
    end_cycle_ = results.partial() ? machine_->last_cycle() : job_->end_cycle();
    observe::NetworkMetrics metrics = machine_->metrics();
    // With retry: all packets in the network, including retransmissions and acknowledgements, as for other
    // sources.
    if (network().retry() != nullptr) metrics.packets_sent = network().accounts().packets_sent();
    return metrics;
  }
  Cycle end_cycle() const override { return end_cycle_; }
  void add_to(observe::Results& results) override {
    if (results.partial()) {
      add_share_done(platform::trace_progress(*job_), results);
    } else {
      platform::add_trace_metrics(*job_, workload::count_of(trace_), nodes_.period(), results);
      results.metric("trace_cycles", end_cycle_, "cycles");
      results.metric("trace_time_s", nodes_.period().ns(end_cycle_) * 1e-9, "s");
      if (workload_.kind == NetworkWorkloadKind::collective)
        add_collective(results, {config_, plan_, options_}, trace_.size(), end_cycle_);
    }
    results.metric("packets_early", machine_->packets_early(), "packets");
  }
  void show(observe::Results& results) override {
    if (workload_.kind == NetworkWorkloadKind::collective) show_collective(results, false);
    results.show("packets_delivered", "packets");
    results.show("latency_cycles_mean", "packet latency, parcel to memory, mean");
    results.show("hops_mean", kind_.hops_meaning());
    results.show("packets_early", "packets that overtook others and waited");
  }
  std::string headline(const std::string& network_text) const override {
    const std::string machine = " on " + network_text + ", Cenju-4 nodes" + kind_.headline(workload_);
    if (workload_.kind == NetworkWorkloadKind::collective)
      return collective_headline(workload_.collective, job_->ranks()) + machine;
    return std::to_string(job_->ranks()) + " ranks" + machine +
           platform::without_computing(workload::count_of(trace_), workload_.compute_scale);
  }

 private:
  const NetworkRunConfig& config_;
  const NetworkWorkload& workload_;
  const BridgedKind& kind_;
  const network::NetworkPlan& plan_;
  const platform::RunOptions& options_;
  const workload::Trace trace_;
  const machines::Cenju4Config nodes_;
  std::unique_ptr<machines::BridgedNodes> machine_;
  std::optional<platform::Cenju4Job> job_;
  Cycle end_cycle_ = 0;
};

}  // namespace

std::unique_ptr<NodeWork> make_cenju4_work(const NodeWorkParts& parts) {
  return std::make_unique<Cenju4Work>(parts);
}

}  // namespace tsuji::session
