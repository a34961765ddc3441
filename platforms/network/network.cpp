// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>

#include "platforms/network/network_capacity.h"
#include "platforms/network/network_estimate.h"
#include "platforms/network/network_faults.h"
#include "platforms/network/network_recorder.h"
#include "platforms/network/network_workload.h"
#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"
#include "tsuji/graph/node_distances.h"
#include "tsuji/graph/print.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/instruments/mechanism_ledger.h"
#include "tsuji/instruments/prediction_metrics.h"
#include "tsuji/instruments/reconfiguration_metrics.h"
#include "tsuji/instruments/recovery_metrics.h"
#include "tsuji/network/config/deadlock_config.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/platform/empty_results.h"
#include "tsuji/platform/load_sweep.h"
#include "tsuji/platform/measured_load.h"
#include "tsuji/routing/checkers/vc_use.h"
#include "tsuji/workload/packet_list.h"
#include "tsuji/workload/pattern_kinds.h"

using namespace tsuji;
using namespace tsuji::platform;

namespace {

struct Config {
  network::NetworkConfig machine;
  network::TrafficConfig traffic;
  observe::MeasureConfig measure;
  NetworkRecorderConfig recorder;
  NetworkWorkload workload;
};

network::TrafficSources traffic_sources(const Config& config, const NetworkParts& plan, std::uint64_t seed) {
  return {config.traffic, plan.nodes, seed, network::packet_limits(config.machine)};
}

int print_topology(const Config& config, const std::string& format, std::ostream& out) {
  const graph::Topology topology =
      network::make_topology(config.machine.topology, config.machine.link_latency_cycles);
  if (format == "dot") {
    graph::print_dot(topology, out);
  } else if (format == "json") {
    graph::print_json(topology, out);
  } else {
    throw ConfigError("--print-topology", format, "unknown format", "dot or json");
  }
  return 0;
}

/// Whether a node may be the destination of its own packets: ranks of a trace may share a node.
bool may_send_to_itself(const Config& config, const graph::Topology& topology) {
  if (config.workload.kind == NetworkWorkloadKind::trace) return true;
  if (config.traffic.kind != network::TrafficKind::list) return config.traffic.to_self;
  const auto lists = workload::read_packet_list(config.traffic.list, topology.nodes());
  for (NodeId node = 0; node < lists.size(); ++node) {
    for (const workload::ListedPacket& packet : lists[node])
      if (packet.destination == node) return true;
  }
  return false;
}

int print_vcs(const Config& config, std::ostream& out) {
  const NetworkParts plan(config.machine);
  const graph::LivingNetwork network(plan.topology, plan.faults);
  routing::print_vc_use(routing::vc_use(plan.topology, network, *plan.routing, config.machine.network.vcs),
                        out);
  return 0;
}

/// The bound of the configured load, whatever the network's size.
int print_capacity(const Config& config, std::uint64_t seed, std::ostream& out) {
  if (config.workload.kind == NetworkWorkloadKind::trace)
    throw ConfigError("--print-capacity", "", "an application offers no load", "workload.kind synthetic");
  const NetworkParts plan(config.machine);
  const network::TrafficSources sources = traffic_sources(config, plan, seed);
  const routing::CapacityBound bound = network_capacity(config.machine, plan, config.traffic, sources,
                                                        config.workload.retry.on(), CapacityEffort::print);
  routing::print_capacity(bound, plan.topology, 10, out);
  return 0;
}

/// All states of the faults; the worst of their exit statuses.
int check_reconfigured(const Config& config, std::ostream& out) {
  const graph::Topology topology =
      network::make_topology(config.machine.topology, config.machine.link_latency_cycles);
  int worst = 0;
  for (const auto& [cycle, present] : states_of_faults(config.machine, topology)) {
    out << "from cycle " << cycle << " on: ";
    if (cycle != 0 && ends_all_traffic(topology, present)) {
      out << "no node lives, no message moves\n";
      continue;
    }
    const NetworkParts plan(config.machine, &present);
    worst = std::max(worst, check_detour(config.machine, plan, may_send_to_itself(config, topology), out));
  }
  return worst;
}

int check_deadlock(const Config& config, const RunOptions& options, std::ostream& out) {
  if (config.machine.reconfigures()) return check_reconfigured(config, out);
  const NetworkParts plan(config.machine);
  const bool to_self = may_send_to_itself(config, plan.topology);
  if (const int status = check_detour(config.machine, plan, to_self, out); status >= 0) return status;
  observe::ProgressBar bar(std::cerr, !options.quiet && observe::ProgressBar::stderr_is_terminal());
  routing::DeadlockConfig checked = network::deadlock_config(config.machine, plan.topology, to_self);
  for (NodeId node = 0; node < plan.nodes.states.size(); ++node)
    checked.silent_nodes.push_back(plan.nodes.state(node) != workload::NodeState::living);
  checked.progress = [&bar](double share_done) { bar.update(share_done); };
  const routing::DeadlockReport report = routing::check_deadlock(plan.topology, *plan.routing, checked);
  bar.finish();
  out << report.text(plan.topology);
  return report.good() ? 0 : 1;
}

/// Latencies in ns, and what the routers and the supervisor have counted.
void add_machine_metrics(const network::LoadedNetwork& loaded, const Config& config,
                         const observe::NetworkMetrics& metrics, Cycle end, observe::Results& results) {
  add_latency_ns(metrics, ClockPeriod(config.machine.clock_period_ps), results);
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

/// Refuses a sweep for problems of all of its loads, once and with the places of the keys.
void check_sweep(const Config& config, std::uint64_t seed) {
  config.workload.check_sweep();
  config.traffic.check_sweep();
  check_read_again("topology.file", config.machine.topology.of<graph::TopologyFileConfig>().file);
  check_read_again("traffic.matrix", config.traffic.patterns.of<workload::MatrixConfig>().matrix);
  const NetworkParts plan(config.machine);
  config.recorder.validate_with(plan.topology);
  (void)traffic_sources(config, plan, seed);
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

/// Null for a topology that is too large for distances of all pairs.
std::unique_ptr<graph::NodeDistances> node_distances(const graph::Topology& topology) {
  if (!graph::NodeDistances::suffices(topology)) return nullptr;
  return std::make_unique<graph::NodeDistances>(topology);
}

/// Runs the measurement; waves and packet records are closed after a failure or a signal, too.
void simulate(network::LoadedNetwork& loaded, observe::LoadMeasurement& measurement,
              NetworkRecorder& recorder, const RunOptions& options, observe::Results& results) {
  try {
    play_load({loaded, measurement, [&](Cycle from, Cycle to) { loaded.set_window(from, to); },
               [&](Cycle now) { recorder.advance(now); }},
              options, results);
  } catch (...) {
    recorder.close();
    throw;
  }
  recorder.close();
}

void run(const Config& config, const RunOptions& options, observe::Results& results) {
  const std::function<void(double)> building = options.building();
  building(0);
  const NetworkParts plan(config.machine);
  if (config.workload.kind == NetworkWorkloadKind::trace) {
    const AddMachineMetrics add = [&](const network::LoadedNetwork& loaded,
                                      const observe::NetworkMetrics& metrics, Cycle end) {
      add_machine_metrics(loaded, config, metrics, end, results);
      add_faults(plan, {}, results);
    };
    const auto run_trace = config.workload.nic == NicKind::plain ? run_packetizer_trace : run_cenju4_trace;
    run_trace({config.machine, plan.topology, *plan.routing, plan.nodes, config.recorder}, config.workload,
              add, options, results);
    show_retry(results, config.workload);
    return show_routing(results, config.machine);
  }
  const network::TrafficSources sources = traffic_sources(config, plan, options.seed);
  const routing::CapacityBound capacity = network_capacity(config.machine, plan, config.traffic, sources,
                                                           config.workload.retry.on(), CapacityEffort::run);
  NetworkRecorder recorder(config.recorder, options, plan.topology);
  observe::LoadMeasurement measurement(config.measure, plan.topology.nodes());
  const std::unique_ptr<graph::NodeDistances> distances = node_distances(plan.topology);
  if (distances) measurement.count_distances(*distances);
  network::LoadedNetwork::Parts parts{config.machine, plan.topology, *plan.routing};
  parts.seed = options.seed;
  parts.make_source = [&](NodeId node) { return sources.source(node); };
  parts.retry = config.workload.retry;
  parts.measurement = &measurement;
  parts.on_delivered = recorder.on_delivered();
  const auto reconfiguration = network::make_reconfiguration(config.machine, plan.topology, *plan.routing);
  parts.fault_reaction = reconfiguration.get();
  parts.progress = building;
  network::LoadedNetwork loaded(parts);
  recorder.attach(loaded, results, reconfiguration.get());
  simulate(loaded, measurement, recorder, options, results);
  loaded.check_conservation();
  measurement.flits_ejected(loaded.flits_ejected_in_window());
  measurement.close(loaded.now());
  observe::NetworkMetrics metrics = measurement.metrics();
  loaded.add_counters(metrics);
  metrics.add_to(results, plan.nodes.living(), loaded.now(), measurement.rate_cycles());
  measurement.add_to(results);
  add_capacity(capacity, plan, results);
  if (plan.routing->recovery() != nullptr) {
    instruments::add_recovered(results, measurement);
    results.show("measured_recovered_share", "packets in recovery, share");
  }
  add_machine_metrics(loaded, config, metrics, loaded.now(), results);
  mark_lower_bounds_ns(measurement, results);
  recorder.report(loaded, loaded.now(), results);
  const std::string silence = config.traffic.silence();
  EmptyResults(options, loaded.domain().period().ps_at(loaded.now()), results).check(measurement, silence);
  show_load(results, measurement);
  show_retry(results, config.workload);
  instruments::add_reconfiguration(results, reconfiguration.get(), loaded.now());
  show_routing(results, config.machine);
  add_faults(plan, sources.unreachable(loaded.now()), results);
  results.headline(plan.topology.name() + ", " + std::to_string(plan.topology.nodes()) + " nodes, " +
                   std::to_string(plan.topology.routers()) + " routers, " + config.machine.routing.kind +
                   verdict_text(measurement, silence));
}

}  // namespace

int sc_main(int argc, char** argv) {
  Config config;
  Platform platform;
  platform.name = "network";
  platform.description =
      "A virtual-channel network of any topology and routing under synthetic traffic or an application, "
      "cycle by cycle";
  platform.leading_keys = {"topology.kind",
                           "topology.radices",
                           "routing.kind",
                           "router.vcs",
                           "router.buffer_flits",
                           "traffic.pattern",
                           "traffic.load_flits_per_node_cycle",
                           "traffic.packet_flits",
                           "measure.cycles",
                           "workload.kind"};
  platform.add_keys = [&](config::KeyTable& keys) {
    network::add_network_keys(keys, config.machine);
    network::add_network_fault_keys(keys, config.machine);
    network::add_network_deadlock_keys(keys, config.machine);
    add_network_workload_keys(keys, config.workload);
    network::add_traffic_keys(keys, config.traffic);
    config.measure.add_keys(keys);
    network::measure_whole_lists(keys);
    add_recorder_keys(keys, config.recorder);
    for (const char* section : {"traffic.*", "measure.*"})
      keys.only_with(section, {{"workload.kind", {"synthetic"}}});
  };
  platform.resolve = [&] {
    config.workload.resolve();
    config.machine.resolve();
  };
  platform.validate = [&] {
    const bool synthetic = config.workload.kind == NetworkWorkloadKind::synthetic;
    Refusals refusals;
    refusals.take([&] { config.machine.validate(); });
    refusals.take([&] { config.measure.validate(); });
    refusals.take([&] {
      if (synthetic) config.traffic.validate();
    });
    refusals.refuse();
    refusals.take([&] { config.workload.validate(config.machine); });
    if (synthetic) {
      refusals.take(
          [&] { validate_measured_times(config.measure, ClockPeriod(config.machine.clock_period_ps)); });
      refusals.take([&] { network::validate_lengths(config.machine, config.traffic); });
    }
    refusals.refuse();
  };
  platform.estimates_runs = [&] {
    const std::string& file = config.machine.topology.of<graph::TopologyFileConfig>().file;
    return config.machine.topology.kind != "file" || std::filesystem::is_regular_file(file) ||
           !std::filesystem::exists(file);
  };
  platform.estimate = [&] {
    return network_estimate(config.machine, config.traffic, config.measure, config.workload);
  };
  platform.run = [&](const RunOptions& options, observe::Results& results) { run(config, options, results); };
  LoadSweepConfig sweep;
  sweep.check = [&config](const RunOptions& options) { check_sweep(config, options.seed); };
  sweep.length_cycles = [&config] {
    return config.measure.mode == observe::MeasureMode::cycles ? config.measure.cycles : Cycle{0};
  };
  platform.options = sweep_options(sweep);
  PlatformOption topology;
  topology.name = "--print-topology";
  topology.value_name = "FORMAT";
  topology.meaning = "prints the topology as dot or json, and stops";
  topology.print = [&](const std::string& format, const RunOptions&, std::ostream& out) {
    return print_topology(config, format, out);
  };
  PlatformOption vcs;
  vcs.name = "--print-vcs";
  vcs.meaning = "prints what each virtual channel is used for, over all pairs of nodes, and stops";
  vcs.print = [&](const std::string&, const RunOptions&, std::ostream& out) {
    return print_vcs(config, out);
  };
  PlatformOption capacity;
  capacity.name = "--print-capacity";
  capacity.meaning = "prints the load at which the first channel is full, the fullest channels, and stops";
  capacity.print = [&](const std::string&, const RunOptions& options, std::ostream& out) {
    return print_capacity(config, options.seed, out);
  };
  PlatformOption deadlock;
  deadlock.name = "--check-deadlock";
  deadlock.meaning = "proves the network free of deadlock or says who may wait for ever (exit 1), and stops";
  deadlock.print = [&](const std::string&, const RunOptions& options, std::ostream& out) {
    return check_deadlock(config, options, out);
  };
  platform.options.push_back(topology);
  platform.options.push_back(vcs);
  platform.options.push_back(capacity);
  platform.options.push_back(deadlock);
  PlatformOption certificate;
  certificate.name = "--certificate";
  certificate.value_name = "FILE";
  certificate.meaning =
      "writes the tables of detour_ud with their proof, for scripts/check_certificate, and stops";
  certificate.print = [&](const std::string& path, const RunOptions&, std::ostream& out) {
    write_certificates(config.machine, path, out);
    return 0;
  };
  platform.options.push_back(certificate);
  return run_platform(argc, argv, platform);
}
