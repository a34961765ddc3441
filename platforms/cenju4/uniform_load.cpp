#include "platforms/cenju4/uniform_load.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/fabric/cenju4/crosspoint_network.h"
#include "tsuji/fabric/probes/crosspoint_waves.h"
#include "tsuji/observe/accepted_share.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/traffic/packet_injector.h"
#include "tsuji/traffic/packet_sink.h"
#include "tsuji/traffic/synthetic_load.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::platform {
namespace {

/// Injectors and sinks on a network.
class LoadedNetwork {
 public:
  LoadedNetwork(const fabric::Cenju4Config& machine, const WorkloadConfig& load, std::uint64_t seed)
      : window_from(load.load_cycles / 2),
        window_to(load.load_cycles),
        domain("clock", clock(machine)),
        network("network", domain, machine.network) {
    workload::PatternConfig uniform;
    uniform.nodes = network.topology().nodes();
    const std::shared_ptr<const workload::Pattern> pattern =
        workload::pattern_kinds().make("uniform", uniform);
    for (NodeId node = 0; node < uniform.nodes; ++node) add_node(load, pattern, node, seed);
  }

  /// Cycles in which offered and accepted flits count: the second half of the load, when the network is full.
  Cycle window_from, window_to;
  PacketPool pool;
  ClockDomain domain;
  fabric::CrosspointNetwork network;
  observe::NetworkMetrics metrics;
  observe::AcceptedShare share;                     ///< of [window_from, window_to)
  Cycle last_tail = 0;                              ///< the cycle of the last flit that was delivered
  std::unique_ptr<observe::PacketRecords> records;  ///< null: nobody wants them
  std::vector<std::unique_ptr<graph::FirstRoute>> routes;
  std::vector<std::unique_ptr<traffic::PacketInjector>> injectors;
  std::vector<std::unique_ptr<traffic::PacketSink>> sinks;

 private:
  static ClockDomainConfig clock(const fabric::Cenju4Config& machine) {
    ClockDomainConfig config;
    config.period = machine.period();
    config.mode = machine.process_mode;
    config.shuffle_seed = machine.shuffle_seed;
    return config;
  }

  static std::unique_ptr<traffic::EmissionSource> make_source(
      const WorkloadConfig& load, const std::shared_ptr<const workload::Pattern>& pattern, NodeId node,
      std::uint64_t seed) {
    if (load.load_flits_per_node_cycle <= 0) {
      return std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>{});
    }
    const nic::PacketSizes sizes;
    const unsigned header_flits = sizes.flits(PacketKind::single_cast, 0);
    workload::ArrivalConfig arrivals;
    arrivals.packets_per_cycle = load.load_flits_per_node_cycle / load.packet_flits;
    traffic::SyntheticLoad::Parts parts;
    parts.pattern = pattern;
    parts.arrivals = workload::make_arrivals("bernoulli", arrivals);
    parts.lengths = workload::PacketLengths::fixed(load.packet_flits);
    parts.payload_bytes = (load.packet_flits - header_flits) / sizes.flits_per_word * 8;
    parts.last_cycle = load.load_cycles;
    return std::make_unique<traffic::SyntheticLoad>(std::move(parts), node, seed);
  }

  void add_node(const WorkloadConfig& load, const std::shared_ptr<const workload::Pattern>& pattern,
                NodeId node, std::uint64_t seed) {
    routes.push_back(std::make_unique<graph::FirstRoute>(network.topology(), node));
    const graph::FirstRoute* route = routes.back().get();
    injectors.push_back(std::make_unique<traffic::PacketInjector>(
        ("injector" + std::to_string(node)).c_str(), domain, pool, node,
        make_source(load, pattern, node, seed),
        [route](const Packet& packet) { return route->next_ports(packet); }));
    injectors.back()->out.bind(network.from_node(node));
    sinks.push_back(std::make_unique<traffic::PacketSink>(
        ("sink" + std::to_string(node)).c_str(), domain, node, traffic::PacketSinkConfig{},
        [this](const Packet& packet, Cycle head, Cycle tail, unsigned hops) {
          metrics.record_delivery(tail - packet.created, packet.flits, hops);
          count_in_window(packet, head, tail);
          last_tail = std::max(last_tail, tail);
          if (records) record(packet, head, tail, hops);
        }));
    sinks.back()->in.bind(network.to_node(node));
  }

  /// A packet's flits come one a cycle, without a gap.
  void count_in_window(const Packet& packet, Cycle head, Cycle tail) {
    const Cycle first = std::max(head, window_from), end = std::min(tail + 1, window_to);
    if (first < end) share.accepted_flits += end - first;
    if (packet.created >= window_from && packet.created < window_to) share.offer(packet.flits);
    const auto inside_before = [&](Cycle at) { return packet.created < at && tail >= at; };
    share.under_way += (inside_before(window_from) ? 1 : 0) + (inside_before(window_to) ? 1 : 0);
  }

  void record(const Packet& packet, Cycle head, Cycle tail, unsigned hops) {
    const observe::DeliveredPacket delivered{packet.id,      packet.source,   packet.destination,
                                             packet.created, packet.injected, head,
                                             tail,           packet.flits,    hops};
    records->add(delivered, {packet.injected - packet.created, head - packet.injected, tail - head});
  }
};

void check_conservation(const LoadedNetwork& loaded) {
  const auto counters = loaded.network.counters();
  std::uint64_t sent = 0, delivered = 0;
  for (const auto& injector : loaded.injectors) sent += injector->packets_sent();
  for (const auto& sink : loaded.sinks) delivered += sink->packets();
  if (sent + counters.replicated - counters.merged - counters.dropped != delivered + counters.held) {
    throw ModelError("network", loaded.domain.now(), "", "packets were lost or doubled");
  }
}

observe::PacketFates packet_fates(const LoadedNetwork& loaded) {
  observe::PacketFates fates;
  fates.under_way = loaded.pool.in_use();
  for (const auto& injector : loaded.injectors) {
    fates.born += injector->packets_born();
    fates.under_way += injector->packets_queued();
  }
  for (const auto& sink : loaded.sinks) fates.delivered += sink->packets();
  return fates;
}

}  // namespace

void run_uniform_load(const fabric::Cenju4Config& machine, const WorkloadConfig& workload,
                      const RunOptions& options, observe::Results& results) {
  LoadedNetwork loaded(machine, workload, options.seed);
  const std::unique_ptr<observe::Wave> wave = options.open_wave("network", results);
  std::unique_ptr<fabric::CrosspointWaves> waves;
  if (wave) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // channels know their FIFOs when all is elaborated
    waves = std::make_unique<fabric::CrosspointWaves>(loaded.network, machine.period(), *wave,
                                                      fabric::CrosspointWavesConfig{});
    waves->begin();
  }
  loaded.records =
      options.open_packet_records({"source_queue", "network", "serialization"}, machine.period(), results);
  const Cycle expected = workload.load_cycles + 1000;
  const auto on_slice = [&] {
    loaded.domain.rethrow_failure();
    if (wave) wave->advance(sc_core::sc_time_stamp().value());
    options.progress->update(static_cast<double>(std::min(loaded.domain.now(), expected)) /
                             static_cast<double>(expected));
    options.check_interruption(results);
  };
  try {
    run_until_idle(machine.clock_period_ps * 1000, on_slice);
  } catch (const Interrupted&) {
    // What follows is of the results up to now, which are marked as partial.
  }
  if (wave) wave->close();
  if (loaded.records) loaded.records->close();
  if (!results.partial()) check_conservation(loaded);
  packet_fates(loaded).add_to(results, "network");
  observe::NetworkMetrics metrics = loaded.metrics;
  for (const auto& injector : loaded.injectors) metrics.packets_sent += injector->packets_sent();
  metrics.flits_offered = loaded.share.offered_flits;
  metrics.flits_accepted = loaded.share.accepted_flits;
  metrics.flit_hops = loaded.network.counters().flits_sent;
  metrics.flits_in_flight_at_end = loaded.network.flits_in_flight();
  Cycle last = std::max<Cycle>(loaded.last_tail, workload.load_cycles);
  if (results.partial()) {
    last = loaded.domain.now();
    loaded.window_from = std::min(loaded.window_from, last);
    loaded.window_to = std::min(loaded.window_to, last);
  }
  const Cycle window = loaded.window_to - loaded.window_from;
  metrics.add_to(results, loaded.network.topology().nodes(), last, window);
  results.metric("measured_from_cycle", loaded.window_from, "cycles");
  results.metric("measured_cycles", window, "cycles");
  loaded.share.add_to(results);
  results.headline(
      std::to_string(loaded.network.topology().nodes()) + " nodes, " +
      std::to_string(loaded.network.topology().stages()) + " stages, network alone, uniform single casts" +
      (loaded.share.saturated() ? ": saturated, less than 95 % of the offered load is accepted" : ""));
}

}  // namespace tsuji::platform
