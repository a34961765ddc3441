// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/graph/node_distances.h"
#include "tsuji/instruments/recovery_metrics.h"
#include "tsuji/platform/empty_results.h"
#include "tsuji/platform/measured_load.h"
#include "tsuji/session/network_capacity.h"
#include "tsuji/session/node_work.h"

namespace tsuji::session {
namespace {

/// Distances between all pairs of nodes; null for a topology that is too large for them.
std::unique_ptr<graph::NodeDistances> node_distances(const graph::Topology& topology) {
  if (!graph::NodeDistances::suffices(topology)) return nullptr;
  return std::make_unique<graph::NodeDistances>(topology);
}

/// Traffic whose packets are measured.
class SyntheticWork final : public NodeWork {
 public:
  explicit SyntheticWork(const NodeWorkParts& parts)
      : config_(parts.config),
        plan_(parts.plan),
        options_(parts.options),
        sources_(config_.sources(plan_, options_.seed)),
        capacity_(network_capacity(config_.machine, plan_, config_.traffic, sources_,
                                   config_.workload.retry.on(), CapacityEffort::run)),
        measurement_(config_.measure, plan_.topology.nodes()),
        distances_(node_distances(plan_.topology)) {
    if (distances_) measurement_.count_distances(*distances_);
    std::vector<std::string> classes;
    for (const MessageClass& one : config_.machine.message_classes().all) classes.push_back(one.name);
    if (!classes.empty()) measurement_.count_classes(classes, config_.machine.classes.starvation_cycles);
  }

  void construct(network::LoadedNetwork::Parts parts) override {
    parts.make_source = [this](NodeId node) { return sources_.source(node); };
    parts.sources_have_channels = parts.ports_wake_each_other = sources_.ports_wake_each_other();
    parts.measurement = &measurement_;
    loaded_.emplace(parts);
  }
  network::LoadedNetwork& network() override { return *loaded_; }
  void play(const std::function<void(Cycle now)>& advance, observe::Results& results) override {
    platform::play_load({*loaded_, measurement_,
                         [this](Cycle from, Cycle to) { loaded_->accounts().set_window(from, to); }, advance},
                        options_, results);
  }
  observe::NetworkMetrics metrics(const observe::Results&) override {
    loaded_->check_conservation();
    measurement_.flits_ejected(loaded_->accounts().flits_ejected_in_window());
    measurement_.close(loaded_->now());
    observe::NetworkMetrics metrics = measurement_.metrics();
    loaded_->accounts().add_counters(metrics);
    return metrics;
  }
  Cycle end_cycle() const override { return loaded_->now(); }
  Cycle rate_cycles() const override { return measurement_.rate_cycles(); }
  void add_to(observe::Results& results) override {
    measurement_.add_to(results);
    add_capacity(capacity_, plan_, results);
    if (options_.report) write_sources(results);
    if (plan_.routing->recovery() == nullptr) return;
    instruments::add_recovered(results, measurement_);
    results.show("measured_recovered_share", "packets in recovery, share");
  }
  network::UnreachablePackets unreachable() const override { return sources_.unreachable(loaded_->now()); }
  void show(observe::Results& results) override {
    platform::mark_lower_bounds_ns(measurement_, results);
    platform::EmptyResults(options_, loaded_->domain().period().ps_at(loaded_->now()), results)
        .check(measurement_, sources_.silence());
    platform::show_load(results, measurement_);
    if (config_.machine.classes.on())
      results.show_rows("classes", MessageClasses::most, "classes of messages");
  }
  std::string headline(const std::string& network_text) const override {
    return network_text + platform::verdict_text(measurement_, sources_.silence());
  }

 private:
  void write_sources(observe::Results& results) const {
    measurement_.write_sources(options_.file("sources.csv"), [this](NodeId node) {
      return std::to_string(plan_.topology.node(node).eject.router);
    });
    results.file("sources.csv", "a line for every source");
  }

  const NetworkRunConfig& config_;
  const network::NetworkPlan& plan_;
  const platform::RunOptions& options_;
  const network::TrafficSources sources_;
  const routing::CapacityBound capacity_;
  observe::LoadMeasurement measurement_;
  const std::unique_ptr<graph::NodeDistances> distances_;
  std::optional<network::LoadedNetwork> loaded_;
};

}  // namespace

std::unique_ptr<NodeWork> make_synthetic_work(const NodeWorkParts& parts) {
  return std::make_unique<SyntheticWork>(parts);
}

}  // namespace tsuji::session
