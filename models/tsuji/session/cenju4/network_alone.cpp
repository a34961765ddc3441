// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/network_alone.h"

#include <memory>
#include <optional>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/instruments/crosspoint_log.h"
#include "tsuji/instruments/crosspoint_waves.h"
#include "tsuji/machines/cenju4/loaded_crosspoints.h"
#include "tsuji/network/crosspoint/crosspoint_capacity.h"
#include "tsuji/platform/empty_results.h"
#include "tsuji/platform/load_sweep.h"
#include "tsuji/platform/measured_load.h"
#include "tsuji/session/cenju4/cenju4_run.h"

namespace tsuji::session {

using platform::EmptyResults;
using platform::RunOptions;

namespace {

constexpr std::size_t rows_on_terminal = 10;

network::TrafficSources traffic_sources(const machines::Cenju4Config& machine, const NetworkAlone& load,
                                        std::uint64_t seed) {
  network::TrafficNodes nodes;
  nodes.nodes = machine.network.topology.nodes;
  workload::PacketListLimits limits;
  limits.last_cycle = last_run_cycle(machine.period());
  limits.flits = machine.nic.sizes.largest();
  limits.vcs = 0;
  limits.because = " flits, which are the largest packet that a crosspoint FIFO takes";
  return {load.traffic, nodes, seed, limits};
}

/// Parts with sources at the nodes and without observers. Refers to its arguments.
machines::LoadedCrosspoints::Parts loaded_parts(const machines::Cenju4Config& machine,
                                                const NetworkAlone& load,
                                                const network::TrafficSources& sources, std::uint64_t seed) {
  machines::LoadedCrosspoints::Parts parts{machine, {}};
  parts.make_source = [&, seed](NodeId node) -> std::unique_ptr<traffic::EmissionSource> {
    std::unique_ptr<traffic::EmissionSource> source = sources.source(node);
    if (!source) return nullptr;
    const network::CrosspointEmissions::Parts as{machine.nic.sizes, load.multicast,
                                                 machine.network.topology.nodes, seed};
    return std::make_unique<network::CrosspointEmissions>(std::move(source), as, node);
  };
  return parts;
}

void add_capacity(const machines::Cenju4Config& machine, const NetworkAlone& load,
                  const network::TrafficSources& sources, observe::Results& results) {
  const char* const reason = !load.traffic.traits().offers_load ? "no offered load"
                             : load.multicast.share > 0         ? "multicasts"
                                                                : nullptr;
  network::CrosspointCapacity capacity;
  if (reason == nullptr)
    capacity = network::crosspoint_capacity(
        machine.network, load.traffic.packet_lengths().mean(),
        [&](NodeId source, NodeId destination) { return sources.demand(source, destination); });
  const bool known = capacity.flits_per_node_cycle > 0;
  results.metric("capacity_bound_flits_per_node_cycle",
                 known ? observe::Value(capacity.flits_per_node_cycle) : observe::Value(nullptr),
                 "flits/node/cycle");
  results.metric("capacity_bound_kind", known ? "exact" : "none", "");
  results.metric("capacity_bound_at", known ? capacity.at : reason == nullptr ? "no packets" : reason, "");
}

/// Waveform, packet records and log of a run, after --waves, --records and --log.
class Recorder {
 public:
  Recorder(const RunOptions& options, const machines::Cenju4Config& machine, observe::Results& results)
      : period_(machine.period()),
        wave_(options.open_wave("network", results)),
        log_(options.open_run_log(network_alone_log_modules(machine), period_, results)) {
    records_ = options.open_packet_records({"source_queue", "network", "serialization"}, period_, results);
  }
  void attach(machines::LoadedCrosspoints& loaded, const instruments::CrosspointWavesConfig& config) {
    if (log_) network_log_.emplace(loaded.network(), *log_);
    if (!wave_) return;
    waves_ = std::make_unique<instruments::CrosspointWaves>(loaded.network(), period_, *wave_, config);
    waves_->begin();
  }
  void delivered(const observe::DeliveredPacket& packet) {
    if (network_log_) network_log_->delivered(packet);
    if (!records_) return;
    records_->add(packet, {packet.injected - packet.created, packet.head_cycle - packet.injected,
                           packet.tail_cycle - packet.head_cycle});
  }
  void advance(Cycle now) {
    if (log_) log_->advance(now);
    if (wave_) wave_->advance(period_.ps_at(now));
  }
  void close(Cycle now) {
    if (log_) log_->close(now);
    if (wave_) wave_->close();
    if (records_) records_->close();
  }
  void check(const EmptyResults& empty) const {
    empty.check(wave_.get());
    empty.check(records_.get());
    empty.check(log_.get());
  }

 private:
  const ClockPeriod period_;
  const std::unique_ptr<observe::Wave> wave_;
  std::unique_ptr<instruments::CrosspointWaves> waves_;
  std::unique_ptr<observe::PacketRecords> records_;
  const std::unique_ptr<observe::RunLog> log_;
  std::optional<instruments::CrosspointLog> network_log_;
};

void simulate(machines::LoadedCrosspoints& loaded, observe::LoadMeasurement& measurement, Recorder& recorder,
              const RunOptions& options, observe::Results& results) {
  try {
    platform::play_load({loaded, measurement, [&](Cycle from, Cycle to) { loaded.set_window(from, to); },
                         [&](Cycle now) { recorder.advance(now); }},
                        options, results);
  } catch (...) {
    recorder.close(loaded.now());
    throw;
  }
  recorder.close(loaded.now());
}

}  // namespace

NetworkAlone::NetworkAlone() {
  const nic::PacketSizes sizes;
  const unsigned largest = sizes.flits(PacketKind::single_cast, sizes.max_payload_bytes);
  traffic.lengths.of<workload::LengthRange>() = {largest, largest};
}

void NetworkAlone::add_keys(config::KeyTable& keys) {
  network::add_traffic_keys(keys, traffic);
  network::add_multicast_traffic_keys(keys, multicast);
  measure.add_keys(keys);
  network::measure_whole_lists(keys);
  for (const char* key : {"traffic.multicast_share", "traffic.multicast_nodes"})
    keys.only_with(key, {{"traffic.kind", {"open_loop"}}});
}

void NetworkAlone::validate(const machines::Cenju4Config& machine) const {
  traffic.validate();
  measure.validate();
  multicast.validate(machine.network.topology.nodes);
  platform::validate_measured_times(measure, machine.period());
  if (!traffic.traits().draws) return;
  const unsigned largest = machine.nic.sizes.largest(), longest = traffic.packet_lengths().longest();
  if (longest <= largest) return;
  throw ConfigError(traffic.lengths.traits(traffic.length).longest, std::to_string(longest),
                    "a crosspoint FIFO takes no such packet",
                    "1.." + std::to_string(largest) + ", the largest packet");
}

void NetworkAlone::check_sweep(const machines::Cenju4Config& machine, std::uint64_t seed) const {
  traffic.check_sweep();
  platform::check_read_again("traffic.matrix", traffic.patterns.of<workload::MatrixConfig>().matrix);
  (void)traffic_sources(machine, *this, seed);
}

std::vector<observe::LogModules> network_alone_log_modules(const machines::Cenju4Config& machine) {
  return instruments::CrosspointLog::modules(graph::Multistage(machine.network.topology));
}

void build_network_alone(const machines::Cenju4Config& machine, const NetworkAlone& load,
                         const RunOptions& options, const std::function<void()>& look) {
  const network::TrafficSources sources = traffic_sources(machine, load, options.seed);
  const machines::LoadedCrosspoints loaded(loaded_parts(machine, load, sources, options.seed));
  look();
}

void run_network_alone(const machines::Cenju4Config& machine, const NetworkAlone& load,
                       const Cenju4WatchConfig& watch, const RunOptions& options, observe::Results& results) {
  const network::TrafficSources sources = traffic_sources(machine, load, options.seed);
  const unsigned nodes = machine.network.topology.nodes;
  observe::LoadMeasurement measurement(load.measure, nodes);
  Recorder recorder(options, machine, results);
  machines::LoadedCrosspoints::Parts parts = loaded_parts(machine, load, sources, options.seed);
  parts.measurement = &measurement;
  parts.on_delivered = [&](const observe::DeliveredPacket& packet) { recorder.delivered(packet); };
  machines::LoadedCrosspoints loaded(parts);
  instruments::CrosspointWavesConfig waves;
  waves.lines = watch.wave_lines;
  std::optional<instruments::CrosspointUse> use;
  loaded.elaborate([&] {
    recorder.attach(loaded, waves);
    use.emplace(loaded.network(), watch.use_of(options));
  });
  simulate(loaded, measurement, recorder, options, results);
  loaded.check_conservation();
  measurement.flits_ejected(loaded.flits_ejected_in_window());
  measurement.close(loaded.now());
  observe::NetworkMetrics metrics = measurement.metrics();
  loaded.add_counters(metrics);
  metrics.add_to(results, nodes, loaded.now(), measurement.rate_cycles());
  measurement.add_to(results);
  add_capacity(machine, load, sources, results);
  platform::add_latency_ns(metrics, machine.period(), results);
  platform::mark_lower_bounds_ns(measurement, results);
  results.metric("packets_replicated", loaded.fates().replicated, "packets");
  loaded.fates().add_to(results, "network");
  use->report(loaded.now(), options.out_dir, results);
  const std::string silence = sources.silence();
  const EmptyResults empty(options, machine.period().ps_at(loaded.now()), results);
  empty.check(measurement, silence);
  recorder.check(empty);
  platform::show_load(results, measurement);
  results.show_rows("links", rows_on_terminal, "busiest links", {"from", "to", "flits", "utilization"});
  if (watch.use.crosspoints)
    results.show_rows("crosspoints", rows_on_terminal, "busiest crosspoint FIFOs",
                      {"switch", "input", "output", "utilization", "fill_mean", "fill_max"});
  const graph::Multistage& topology = loaded.network().topology();
  results.headline(std::to_string(nodes) + " nodes, " + std::to_string(topology.stages()) + " stages of " +
                   std::to_string(topology.radix()) + "x" + std::to_string(topology.radix()) +
                   " switches, network alone" + platform::verdict_text(measurement, silence));
}

}  // namespace tsuji::session
