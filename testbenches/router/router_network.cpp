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
    for (const graph::RouterId id : routers_) {
      const auto& rtl = dynamic_cast<const RtlRouter&>(network.network().router(id));
      rtl.finish();
      rtl.close_record();
      if (const char* const own = rtl.rtl().wave_ending(); wave_ && own != nullptr)
        results.file("rtl.r" + std::to_string(id) + own, "waveform of its RTL's own signals");
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
    results.metric("rtl_flits", sum.flits_out, "flits", "flits through RTL");
    results.metric("rtl_clocks", sum.clocks, "cycles");
    results.metric("rtl_credit_wait_cycles", sum.waiting_credits, "cycles");
  }

 private:
  const std::set<graph::RouterId> routers_;
  const std::shared_ptr<RtlWave> wave_;  ///< of the pins, or null
  const std::string ending_;             ///< of its file
};

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
    parts.custom.router_kind =
        rtl_kind(config.make_router_kind(),
                 [routers = options.places.routers](graph::RouterId id) { return routers.count(id) != 0; },
                 around, row_.make,
                 {options.shadow ? row_.shadow : nullptr, options.wave, wave, options.record, options.warn,
                  options.stall, options.wave_first, options.wave_last});
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
