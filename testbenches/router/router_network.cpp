// SPDX-License-Identifier: Apache-2.0
#include "router/router_network.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

class PlacedRouters final : public session::PlacedFeature {
 public:
  PlacedRouters(const std::set<graph::RouterId>& routers, std::shared_ptr<RtlWave> wave, std::string ending)
      : routers_(routers), wave_(std::move(wave)), ending_(std::move(ending)) {}

  void report(const network::LoadedNetwork& network, observe::Results& results) override {
    RtlCounters sum;
    shadowed_ = false;
    for (const graph::RouterId id : routers_) {
      const auto& rtl = dynamic_cast<const RtlRouter&>(network.network().router(id));
      rtl.finish();
      rtl.close_record();
      if (const char* const own = rtl.rtl().wave_ending(); wave_ && own != nullptr) {
        const std::string stem = "rtl.r" + std::to_string(id);
        results.file(stem + own, "waveform of its RTL's own signals");
        results.file(stem + ".gtkw", "save file of GTKWave for it, pins by port");
      }
      if (RtlPacketShadow* const shadow = rtl.packet_shadow()) report_shadow(id, *shadow, results);
      const RtlCounters& counters = rtl.rtl_counters();
      sum.clocks += counters.clocks;
      sum.waiting_credits += counters.waiting_credits;
      sum.flits_out += counters.flits_out;
    }
    if (wave_) {
      wave_->close();
      results.file("rtl" + ending_, "waveform of the pins of routers in RTL");
      results.file("rtl.gtkw", "save file of GTKWave for it, by router, port and virtual channel");
    }
    if (shadowed_) report_shadows(results);
    results.metric("rtl_flits", sum.flits_out, "flits", "flits through RTL");
    results.metric("rtl_clocks", sum.clocks, "cycles");
    results.metric("rtl_credit_wait_cycles", sum.waiting_credits, "cycles");
  }

 private:
  /// A row for a router, whose model finishes its packets before.
  void report_shadow(graph::RouterId id, RtlPacketShadow& shadow, observe::Results& results) {
    constexpr Cycle most_cycles = 10'000;  // after the end of the run
    shadow.finish(most_cycles);
    const PacketDifferences& found = shadow.differences();
    if (!std::exchange(shadowed_, true))
      table_ = &results.table("rtl_shadow", {{"router", ""},
                                             {"packets", "packets"},
                                             {"differing", "packets"},
                                             {"later_min", "cycles"},
                                             {"later_mean", "cycles"},
                                             {"later_max", "cycles"}});
    table_->row({id, found.packets, found.differing, where_any(found, found.least), mean_of(found),
                 where_any(found, found.most)});
    shadows_.add(found);
    unfinished_ += shadow.unfinished();
  }

  static observe::Value where_any(const PacketDifferences& found, std::int64_t cycles) {
    if (found.packets == 0) return nullptr;
    return cycles;
  }

  static observe::Value mean_of(const PacketDifferences& found) {
    if (found.packets == 0) return nullptr;
    return static_cast<double>(found.sum) / static_cast<double>(found.packets);
  }

  void report_shadows(observe::Results& results) const {
    results.metric("rtl_shadow_packets", shadows_.packets, "packets", "visits compared with the model");
    results.metric("rtl_shadow_differing", shadows_.differing, "packets",
                   "visits that differ in port or order");
    results.metric("rtl_shadow_unfinished", unfinished_, "packets");
    results.metric("rtl_shadow_later_cycles_min", where_any(shadows_, shadows_.least), "cycles",
                   "later than the model, least");
    results.metric("rtl_shadow_later_cycles_mean", mean_of(shadows_), "cycles", "later than the model, mean");
    results.metric("rtl_shadow_later_cycles_max", where_any(shadows_, shadows_.most), "cycles",
                   "later than the model, most");
    if (shadows_.differing != 0)
      results.warn("the first packet that differs from the model: " + shadows_.first);
  }

  observe::ResultTable* table_ = nullptr;  ///< of shadows
  const std::set<graph::RouterId> routers_;
  const std::shared_ptr<RtlWave> wave_;  ///< of the pins, or null
  const std::string ending_;             ///< of its file
  PacketDifferences shadows_;            ///< of all routers with a model beside them
  std::uint64_t unfinished_ = 0;         ///< packets that have not left RTL and model
  bool shadowed_ = false;
};

/// ConfigError for a network whose models do not run by themselves.
void check_packet_shadow(const session::NetworkRunConfig& network, const routing::Routing& routing) {
  const auto refuse = [](const std::string& problem, const std::string& accepted) {
    throw ConfigError("rtl.shadow", "packets", problem, accepted);
  };
  const network::NetworkConfig& machine = network.machine;
  if (machine.network.router_kind != "vc")
    refuse("a router of kind " + machine.network.router_kind + " does not run beside RTL", "router.kind: vc");
  if (machine.lookup.in_switch()) refuse("look-up hardware does not run beside RTL", "lookup.kind: local");
  if (machine.network.flit_cycles != 1)
    refuse(
        "the links are " + std::to_string(machine.network.flit_cycles) + " times slower than the RTL's pins",
        "link.flit_cycles: 1");
  if (routing.recovery() != nullptr || routing.table_reads() != nullptr)
    refuse("heads are taken into recovery", "a routing without recovery");
  if (routing.decisions() != nullptr && routing.decisions()->reads_network())
    refuse("routes depend on the queues of all routers", "a routing that looks at its own router");
}

class RouterRow final : public NetworkRtl {
 public:
  explicit RouterRow(RouterRtlRow row) : NetworkRtl({"router"}, row.name, row.what), row_(std::move(row)) {}

  void check(const session::NetworkRunConfig& network, const graph::Topology&) const override {
    if (network.machine.network.router.switching != router::Switching::wormhole)
      throw ConfigError("router.switching", "", "the RTL has no signal for whole packets", "wormhole");
    if (row_.check) row_.check(network);
  }
  std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options,
                                                const session::NetworkRunConfig& network,
                                                const graph::Topology& topology,
                                                network::LoadedNetwork::Parts& parts) const override {
    const network::VcNetworkConfig& config = network.machine.network;
    RtlSurroundings around{topology};
    around.credit_process_cycles = config.credit_process_cycles;
    around.clock_period_ps = network.machine.clock_period_ps;
    if (network.workload.kind == session::NetworkWorkloadKind::synthetic && network.traffic.traits().draws)
      around.longest_packet_flits = network.traffic.packet_lengths().longest();
    std::shared_ptr<RtlWave> wave;
    if (!options.wave.empty()) {
      observe::WaveFileConfig file;
      file.path = options.wave;
      file.format = options.wave_format;
      file.window.from = options.wave_first * around.clock_period_ps;
      if (options.wave_last != never) file.window.to = (options.wave_last + 1) * around.clock_period_ps - 1;
      wave = std::make_shared<RtlWave>(file, around.clock_period_ps, options.wave_last);
    }
    std::shared_ptr<PacketShadowConfig> beside;
    if (options.packet_shadow) {
      check_packet_shadow(network, parts.routing);
      beside = std::make_shared<PacketShadowConfig>(
          PacketShadowConfig{config.router, config.rc_cycles, config.credit_process_cycles});
    }
    parts.custom.router_kind =
        rtl_kind(config.make_router_kind(),
                 [routers = options.places.routers](graph::RouterId id) { return routers.count(id) != 0; },
                 around, row_.make,
                 {options.shadow ? row_.shadow : nullptr, options.wave, wave, options.record, options.warn,
                  options.stall, options.wave_first, options.wave_last, beside, options.delay});
    const bool fst = options.wave_format == observe::WaveFileFormat::fst;
    return std::make_unique<PlacedRouters>(options.places.routers, wave, fst ? ".fst" : ".vcd");
  }
  bool is_routers() const override { return true; }
  bool has_shadow() const override { return row_.shadow != nullptr; }

 private:
  const RouterRtlRow row_;
};

/// Values that are the keys' defaults for files and options.
void read_defaults(session::NetworkRunConfig& network, const NetworkText& keys) {
  config::KeyTable table;
  network.add_keys(table);
  config::read_yaml_text(table, keys.yaml, keys.name);
  table.settle_defaults();
}

}  // namespace

std::unique_ptr<NetworkRtl> network_rtl(RouterRtlRow row) {
  return std::make_unique<RouterRow>(std::move(row));
}

int router_network_main(int argc, char** argv, RouterRtlRow row, const NetworkText& keys) {
  const RtlDescription about = row.make("description", 0)->about;
  const std::string name = row.name;
  NetworkRtlTable table;
  table.push_back(network_rtl(std::move(row)));
  try {
    return rtl_network_main(argc, argv, table, [&](session::NetworkRunConfig& network) {
      network.machine.topology.kind = "mesh";
      network.machine.network.vcs = about.vcs;
      if (about.flow == RtlFlow::credits) network.machine.network.buffer_flits = about.buffer_flits;
      if (!keys.yaml.empty()) read_defaults(network, keys);
    });
  } catch (const std::exception& error) {
    // run_platform() reports all others.
    std::cerr << name << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace tsuji::bench
