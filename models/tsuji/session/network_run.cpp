// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/config/key_types.h"
#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/network/config/deadlock_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/platform/interruption.h"
#include "tsuji/platform/load_sweep.h"
#include "tsuji/platform/measured_load.h"
#include "tsuji/session/instruments.h"
#include "tsuji/session/node_work.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::session {

using platform::RunOptions;

namespace {

void validate_watch(const NetworkRunConfig& config, const graph::Topology& topology) {
  config.watch.validate_with(topology, topology.nodes() * config.workload.nodes_each());
  for (const auto& instrument : config.instruments) instrument->validate_with(topology);
}

}  // namespace

void NetworkRunConfig::add_keys(config::KeyTable& keys) {
  network::add_network_keys(keys, machine);
  network::add_network_fault_keys(keys, machine);
  network::add_network_deadlock_keys(keys, machine);
  machine.classes.add_keys(keys);
  machine.congestion.add_keys(keys);
  network::add_rail_keys(keys, machine.rails);
  add_network_workload_keys(keys, workload);
  traffic.of<traffic::OpenLoopConfig>().most_load = network::RailsConfig::most;
  network::add_traffic_keys(keys, traffic);
  measure.add_keys(keys);
  network::measure_whole_lists(keys);
  add_watch_keys(keys, watch);
  for (const auto& instrument : instruments) instrument->add_keys(keys);
  for (const char* section : {"traffic.*", "measure.*"})
    keys.only_with(section, {{"workload.kind", {"synthetic"}}});
  for (const auto& feature : features) feature->add_keys(keys);
}

void NetworkRunConfig::resolve() {
  workload.resolve();
  machine.network.own_vcs = workload.own_vcs();
  machine.resolve();
}

namespace {

/// Refuses what nodes with several network ports, or with one, do not do.
void validate_rails(const NetworkRunConfig& config) {
  const unsigned count = config.machine.rails.count;
  const NetworkWorkload& workload = config.workload;
  if (workload.kind == NetworkWorkloadKind::synthetic) network::validate_load(config.traffic, count);
  if (count == 1) return;
  const auto refuse = [count](const std::string& problem, const std::string& better) {
    throw ConfigError("rails.count", std::to_string(count), problem, better);
  };
  if (workload.has_ranks() && workload.nic != NicKind::packetizer)
    refuse("a Cenju-4 node has one network port", "1, or nic.kind packetizer");
  if (workload.retry.on())
    refuse("a message is repeated on the port that sent it first", "1, or retry.timeout_cycles 0");
  if (!config.machine.dead.empty() || config.machine.dead.change())
    refuse("a node does not replace a port that has lost its router", "1, or no faults.*");
}

}  // namespace

void NetworkRunConfig::validate() const {
  const bool synthetic = workload.kind == NetworkWorkloadKind::synthetic;
  Refusals refusals;
  refusals.take([&] { machine.validate(); });
  refusals.take([&] { measure.validate(); });
  refusals.take([&] {
    if (synthetic) traffic.validate();
  });
  refusals.refuse();
  refusals.take([&] { workload.validate(machine); });
  refusals.take([&] { validate_rails(*this); });
  for (const auto& feature : features) refusals.take([&] { feature->validate(*this); });
  if (synthetic) {
    refusals.take([&] { platform::validate_measured_times(measure, ClockPeriod(machine.clock_period_ps)); });
    refusals.take([&] { network::validate_lengths(machine, traffic); });
  }
  refusals.refuse();
}

void NetworkRunConfig::check_sweep(std::uint64_t seed) const {
  workload.check_sweep();
  traffic.check_sweep();
  platform::check_read_again("topology.file", machine.topology.of<graph::TopologyFileConfig>().file);
  platform::check_read_again("traffic.matrix", traffic.patterns.of<workload::MatrixConfig>().matrix);
  const network::NetworkPlan plan(machine);
  validate_watch(*this, plan.topology);
  (void)sources(plan, seed);
}

namespace {

/// ConfigError for waves or packet records of routers that do not report the stages of their heads.
void check_tells_stages(const NetworkRunConfig& config, const network::LoadedNetwork::Parts& parts,
                        const RunOptions& options) {
  if (!options.record_waves && !options.record_packets) return;
  const network::VcNetworkConfig& network = config.machine.network;
  const router::RouterKind kind =
      parts.custom.router_kind.make ? parts.custom.router_kind : network.make_router_kind();
  if (kind.tells_stages) return;
  throw ConfigError("router.kind", network.router_kind,
                    std::string("a ") + kind.name +
                        " does not report the stages of heads, which --waves and --records show",
                    "a router that reports them (TellingRouter), or neither option");
}

/// Waveforms and packet records are also closed after a failure, with everything recorded up to it.
void play(NodeWork& work, Instruments& instruments, observe::Results& results) {
  try {
    work.play(
        [&](Cycle now) {
          instruments.advance(now);
          if (!instruments.done()) return;
          results.ended_by("its last followed packet");
          throw platform::Interrupted();
        },
        results);
  } catch (...) {
    instruments.close();
    throw;
  }
  instruments.close();
}

}  // namespace

std::unique_ptr<NodeWork> make_node_work(const NodeWorkParts& parts) {
  if (parts.config.make_work) return parts.config.make_work(parts);
  const NetworkWorkload& workload = parts.config.workload;
  if (workload.kind == NetworkWorkloadKind::synthetic) return make_synthetic_work(parts);
  if (workload.kind == NetworkWorkloadKind::jobs) return make_jobs_work(parts);
  return workload.nic == NicKind::packetizer ? make_replay_work(parts) : make_cenju4_work(parts);
}

namespace {

/// True if there is a source of packets at every node.
bool has_sources(const NetworkRunConfig& config) {
  return config.workload.kind != NetworkWorkloadKind::synthetic || config.traffic.traits().has_sources;
}

/// ConfigError for nodes whose programs know of each other, on several ranks.
void check_ranks(const NetworkRunConfig& config, const RunOptions& options) {
  if (options.ranks == nullptr) return;
  const NetworkWorkload& workload = config.workload;
  if (!workload.has_ranks() || workload.nic == NicKind::packetizer) return;
  throw ConfigError("mpirun", std::to_string(options.ranks->count()) + " ranks",
                    "the nodes' programs (nic.kind) use data of several nodes",
                    "one process, or nic.kind packetizer");
}

/// A configured network with its nodes, constructed but not run.
class BuiltNetwork {
 public:
  /// `on_delivered` may be empty. `only_results`: nobody looks at the network's modules.
  BuiltNetwork(const NetworkRunConfig& config, const RunOptions& options,
               const network::LoadedNetwork::OnDelivered& on_delivered, bool only_results)
      : plan(config.machine) {
    const std::function<void(double)> building = options.building();
    building(0);
    check_ranks(config, options);
    work = make_node_work({config, plan, options});
    validate_watch(config, plan.topology);
    Instruments::check_log(config, plan.topology, options);
    reconfiguration = network::make_reconfiguration(config.machine, plan.topology, *plan.routing);
    network::LoadedNetwork::Parts parts{config.machine, plan.topology, *plan.routing};
    parts.seed = options.seed;
    parts.threads = options.threads;
    parts.ranks = options.ranks;
    parts.flits_are_observed =
        (options.record_waves && config.watch.slots) || options.log_selection ||
        std::any_of(config.instruments.begin(), config.instruments.end(),
                    [&](const auto& instrument) { return instrument->sees_flits(options); });
    parts.cycles_are_shown = options.record_waves;
    parts.heads_are_observed = options.record_packets;
    parts.counts_waits =
        std::any_of(config.instruments.begin(), config.instruments.end(),
                    [&](const auto& instrument) { return instrument->counts_waits(options); });
    parts.retry = config.workload.retry;
    parts.on_delivered = on_delivered;
    parts.fault_reaction = reconfiguration.get();
    parts.progress = building;
    for (const auto& feature : config.features)
      placed.push_back(feature->place(config, plan, options, parts));
    parts.only_results =
        only_results && has_sources(config) &&
        std::all_of(placed.begin(), placed.end(), [](const auto& one) { return one == nullptr; });
    check_tells_stages(config, parts, options);
    work->construct(parts);
  }

  const network::NetworkPlan plan;
  std::vector<std::unique_ptr<PlacedFeature>> placed;
  std::unique_ptr<NodeWork> work;
  std::unique_ptr<network::Reconfiguration> reconfiguration;
};

}  // namespace

void build_network(const NetworkRunConfig& config, const RunOptions& options,
                   const std::function<void()>& look) {
  const BuiltNetwork built(config, options, {}, false);
  look();
}

void run_network(const NetworkRunConfig& config, const RunOptions& given, observe::Results& results) {
  RunOptions options = given;
  std::optional<BuiltNetwork> built;
  std::optional<Instruments> instruments;
  network::LoadedNetwork::OnDelivered on_delivered;
  if (Instruments::see_deliveries(config.instruments, options))
    on_delivered = [&](const observe::DeliveredPacket& packet) { instruments->delivered(packet); };
  built.emplace(config, options, on_delivered, true);
  const network::NetworkPlan& plan = built->plan;
  NodeWork* const work = built->work.get();
  instruments.emplace(config.instruments,
                      WatchedRun{config, plan, options, work->network(), built->reconfiguration.get(),
                                 work->cenju4_nodes(), nullptr, nullptr, nullptr, results});
  if (instruments->next_stop() != never) options.next_stop = [&] { return instruments->next_stop(); };
  play(*work, *instruments, results);
  const observe::NetworkMetrics metrics = work->metrics(results);
  const Cycle end = work->end_cycle();
  metrics.add_to(results, plan.nodes.living() * config.workload.nodes_each(), end, work->rate_cycles(),
                 plan.rails.count());
  work->add_to(results);
  for (const auto& feature : built->placed)
    if (feature) feature->report(work->network(), results);
  instruments->report({end, std::max(end, instruments->run_to()), metrics, work->unreachable()});
  work->show(results);
  instruments->show();
  const std::string each =
      plan.rails.count() == 1 ? "" : " with " + std::to_string(plan.rails.count()) + " ports each";
  results.headline(work->headline(plan.topology.name() + ", " + std::to_string(plan.nodes.nodes) + " nodes" +
                                  each + ", " + std::to_string(plan.topology.routers()) + " routers, " +
                                  config.machine.routing.kind));
}

}  // namespace tsuji::session
