#include "platforms/cenju4/uniform_load.h"

#include <algorithm>
#include <memory>
#include <string>

#include "tsuji/fabric/cenju4/uniform_load.h"
#include "tsuji/fabric/probes/crosspoint_waves.h"

namespace tsuji::platform {
namespace {

/// Simulates until nothing moves any more, or the run is interrupted.
void simulate(fabric::UniformLoad& loaded, const fabric::Cenju4Config& machine, Cycle load_cycles,
              observe::Wave* wave, const RunOptions& options, observe::Results& results) {
  const Cycle expected = load_cycles + 1000;
  const auto on_slice = [&] {
    loaded.domain().rethrow_failure();
    if (wave) wave->advance(sc_core::sc_time_stamp().value());
    options.progress->update(static_cast<double>(std::min(loaded.domain().now(), expected)) /
                             static_cast<double>(expected));
    options.check_interruption(results);
  };
  try {
    run_until_idle(machine.clock_period_ps * 1000, on_slice);
  } catch (const Interrupted&) {
    // The results up to now are written, and marked as partial.
  }
}

}  // namespace

void run_uniform_load(const fabric::Cenju4Config& machine, const WorkloadConfig& workload,
                      const RunOptions& options, observe::Results& results) {
  std::unique_ptr<observe::PacketRecords> records;
  fabric::UniformLoadConfig load;
  load.flits_per_node_cycle = workload.load_flits_per_node_cycle;
  load.packet_flits = workload.packet_flits;
  load.load_cycles = workload.load_cycles;
  fabric::UniformLoad loaded(machine, load, options.seed, [&](const observe::DeliveredPacket& packet) {
    if (!records) return;
    records->add(packet, {packet.injected - packet.created, packet.head_cycle - packet.injected,
                          packet.tail_cycle - packet.head_cycle});
  });
  const std::unique_ptr<observe::Wave> wave = options.open_wave("network", results);
  std::unique_ptr<fabric::CrosspointWaves> waves;
  if (wave) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // channels know their FIFOs when all is elaborated
    waves = std::make_unique<fabric::CrosspointWaves>(loaded.network(), machine.period(), *wave,
                                                      fabric::CrosspointWavesConfig{});
    waves->begin();
  }
  records =
      options.open_packet_records({"source_queue", "network", "serialization"}, machine.period(), results);
  simulate(loaded, machine, load.load_cycles, wave.get(), options, results);
  if (wave) wave->close();
  if (records) records->close();
  if (!results.partial()) loaded.check_conservation();
  loaded.fates().add_to(results, "network");
  Cycle last = loaded.last_cycle();
  if (results.partial()) {
    last = loaded.domain().now();
    loaded.cut_window(last);
  }
  const graph::Multistage& topology = loaded.network().topology();
  const Cycle window = loaded.window_to() - loaded.window_from();
  loaded.metrics().add_to(results, topology.nodes(), last, window);
  results.metric("measured_from_cycle", loaded.window_from(), "cycles");
  results.metric("measured_cycles", window, "cycles");
  loaded.share().add_to(results);
  results.headline(
      std::to_string(topology.nodes()) + " nodes, " + std::to_string(topology.stages()) +
      " stages, network alone, uniform single casts" +
      (loaded.share().saturated() ? ": saturated, less than 95 % of the offered load is accepted" : ""));
}

}  // namespace tsuji::platform
