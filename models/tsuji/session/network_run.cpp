// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_run.h"

#include <functional>
#include <memory>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/instruments/mechanism_ledger.h"
#include "tsuji/instruments/prediction_metrics.h"
#include "tsuji/instruments/reconfiguration_metrics.h"
#include "tsuji/instruments/recovery_metrics.h"
#include "tsuji/network/config/deadlock_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/platform/measured_load.h"
#include "tsuji/session/node_work.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::session {

using platform::RunOptions;

void NetworkRunConfig::add_keys(config::KeyTable& keys) {
  network::add_network_keys(keys, machine);
  network::add_network_fault_keys(keys, machine);
  network::add_network_deadlock_keys(keys, machine);
  add_network_workload_keys(keys, workload);
  network::add_traffic_keys(keys, traffic);
  measure.add_keys(keys);
  network::measure_whole_lists(keys);
  add_recorder_keys(keys, recorder);
  for (const char* section : {"traffic.*", "measure.*"})
    keys.only_with(section, {{"workload.kind", {"synthetic"}}});
}

void NetworkRunConfig::resolve() {
  workload.resolve();
  machine.resolve();
}

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
  const NetworkParts plan(machine);
  recorder.validate_with(plan.topology);
  (void)sources(plan, seed);
}

namespace {

/// Latencies in ns, and what the routers and the supervisor have counted.
void add_machine_metrics(const network::LoadedNetwork& loaded, const NetworkRunConfig& config,
                         const observe::NetworkMetrics& metrics, Cycle end, observe::Results& results) {
  platform::add_latency_ns(metrics, ClockPeriod(config.machine.clock_period_ps), results);
  const router::RouterCounters counters = loaded.network().counters();
  results.metric("packets_born", loaded.packets_born(), "packets");
  results.metric("flits_killed", counters.killed_flits, "flits");
  results.metric("heads_timed_out", counters.timeouts, "heads");
  if (config.machine.network.router.hop_limit != 0)
    results.metric("heads_over_hop_limit", counters.over_hop_limit, "heads");
  if (loaded.lookup() != nullptr)
    loaded.lookup()->add_to(results, end, ClockPeriod(config.machine.clock_period_ps));
  if (config.machine.network.router.prediction.on())
    instruments::add_prediction(results, loaded.network(), config.recorder.links.rows);
  const routing::Routing& routing = *loaded.routing_view(0).routing;
  if (routing.recovery() != nullptr) instruments::add_recovery(results, loaded.network());
  instruments::add_timeout_classes(results, loaded);
  instruments::add_mechanisms(results, loaded, config.machine);
  loaded.fates().add_to(results, "network");
  if (loaded.retry() != nullptr) {
    loaded.network_fates().add_to(results, "network", "network_packets");
    loaded.retry()->add_to(results);
  }
  observe::ResultTable& drops = results.table("drops", {{"cause", ""}, {"packets", "packets"}});
  for (const network::NetworkDropCause cause : loaded.drop_causes())
    drops.row({network::network_drop_cause_name(cause), loaded.supervisor().dropped(cause)});
}

void show_retry(observe::Results& results, const NetworkWorkload& workload) {
  if (!workload.retry.on()) return;
  results.show("packets_repeated", "packets repeated");
  results.show("acks_sent", "acknowledgements");
  results.show("packets_lost", "packets given up, and lost");
}

/// Caches and the memory behind them, and prediction.
void show_routing(observe::Results& results, const network::NetworkConfig& machine) {
  if (machine.network.router.prediction.on())
    results.show("prediction_hit_rate", "visits to routers predicted right, share");
  const lookup::LookupConfig& lookup = machine.lookup;
  if (!lookup.in_switch()) return;
  if (lookup.has_caches() && lookup.kind != "ideal")
    results.show("lookup_hit_rate", "look-ups that hit, share");
  results.show("lookup_power_mw_per_switch", "power of look-ups, a switch");
}

/// Waves and packet records are closed after a failure, too: what was recorded up to it is worth a look.
void play(NodeWork& work, NetworkRecorder& recorder, observe::Results& results) {
  try {
    work.play([&](Cycle now) { recorder.advance(now); }, results);
  } catch (...) {
    recorder.close();
    throw;
  }
  recorder.close();
}

}  // namespace

std::unique_ptr<NodeWork> make_node_work(const NodeWorkParts& parts) {
  const NetworkWorkload& workload = parts.config.workload;
  if (workload.kind == NetworkWorkloadKind::synthetic) return make_synthetic_work(parts);
  return workload.nic == NicKind::plain ? make_replay_work(parts) : make_cenju4_work(parts);
}

void run_network(const NetworkRunConfig& config, const RunOptions& options, observe::Results& results) {
  const std::function<void(double)> building = options.building();
  building(0);
  const NetworkParts plan(config.machine);
  const std::unique_ptr<NodeWork> work = make_node_work({config, plan, options});
  NetworkRecorder recorder(config.recorder, options, plan.topology);
  const auto reconfiguration = network::make_reconfiguration(config.machine, plan.topology, *plan.routing);
  network::LoadedNetwork::Parts parts{config.machine, plan.topology, *plan.routing};
  parts.seed = options.seed;
  parts.retry = config.workload.retry;
  parts.on_delivered = recorder.on_delivered();
  parts.fault_reaction = reconfiguration.get();
  parts.progress = building;
  work->construct(parts);
  network::LoadedNetwork& loaded = work->network();
  recorder.attach(loaded, results, reconfiguration.get(), work->cenju4_nodes());
  play(*work, recorder, results);
  const observe::NetworkMetrics metrics = work->metrics(results);
  const Cycle end = work->end_cycle();
  metrics.add_to(results, plan.nodes.living(), end, work->rate_cycles());
  work->add_to(results);
  add_machine_metrics(loaded, config, metrics, end, results);
  recorder.report(loaded, end, results);
  work->show(results);
  show_retry(results, config.workload);
  instruments::add_reconfiguration(results, reconfiguration.get(), end);
  show_routing(results, config.machine);
  add_faults(plan, work->unreachable(), results);
  results.headline(work->headline(plan.topology.name() + ", " + std::to_string(plan.topology.nodes()) +
                                  " nodes, " + std::to_string(plan.topology.routers()) + " routers, " +
                                  config.machine.routing.kind));
}

}  // namespace tsuji::session
