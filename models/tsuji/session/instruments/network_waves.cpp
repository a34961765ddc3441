// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tsuji/instruments/vc_network_waves.h"
#include "tsuji/platform/empty_results.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

instruments::VcNetworkWavesConfig config_of(const WatchedRun& run) {
  const platform::RunOptions::CycleWindow window = run.options.record_cycles(run.loaded.domain().period());
  instruments::VcNetworkWavesConfig config;
  config.routers = run.config.watch.routers;
  config.slots = run.config.watch.slots;
  config.first_cycle = window.first;
  config.last_cycle = window.last;
  config.packet = run.config.watch.followed();
  return config;
}

/// Routers and their channels. The save file opens on the route of one packet.
class NetworkSignals final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.wave != nullptr; }
  explicit NetworkSignals(const WatchedRun& run)
      : run_(run),
        waves_({run.loaded.network(), run.loaded.pool(), run.loaded.domain(), *run.wave}, config_of(run)) {}
  void advance(Cycle now) override { waves_.advance(now); }
  void close() override {
    waves_.finish();
    if (waves_.followed().found()) open_on_packet();
  }
  void report(const RunEnd& end, observe::Results& results) override {
    const std::string& packet = run_.config.watch.packet;
    if (packet.empty() || waves_.followed().found()) return;
    platform::EmptyResults(run_.options, run_.loaded.domain().period().ps_at(end.cycles), results)
        .packet_not_found(packet);
  }

 private:
  /// Of an input on a packet's route, the most telling ones first.
  std::vector<std::string> signal_names() const {
    std::vector<std::string> names = {"flit", ".packet", ".stage"};
    const unsigned slots = run_.config.watch.slots ? run_.loaded.network().config().buffer_flits : 0;
    for (unsigned slot = 0; slot < slots; ++slot) names.push_back(".slot" + std::to_string(slot));
    for (const char* name : {".occupancy", "prediction", "lookup"}) names.emplace_back(name);
    return names;
  }
  void open_on_packet();

  const WatchedRun& run_;
  instruments::VcNetworkWaves waves_;
};

/// A screen of rows at most, and the time from before the packet's first router to after its last.
void NetworkSignals::open_on_packet() {
  const instruments::FollowedPacket& packet = waves_.followed();
  constexpr std::size_t screen_rows = 36;
  constexpr Cycle before = 10;
  const auto node_signal = [](End node, const char* name) {
    return "node" + std::to_string(node.number()) + name;
  };
  observe::WaveView view;
  view.heading = packet.heading();
  view.scope = "network.";
  for (const char* name : {".processor.activity", ".nic.sender.spm"})
    view.paths.push_back(node_signal(packet.source(), name));
  for (const std::string& path : packet.signals(signal_names(), screen_rows)) view.paths.push_back(path);
  for (const char* name : {".nic.receiver.state", ".processor.activity"})
    view.paths.push_back(node_signal(packet.destination(), name));
  const Cycle margin = before + (packet.to() - packet.from()) / 8;
  const auto time_of = [this](Cycle cycle) { return run_.loaded.domain().time_of(cycle).value(); };
  view.from = time_of(packet.from() - std::min(margin, packet.from()));
  view.to = time_of(packet.to() + margin);
  run_.wave->open_on(view);
}

}  // namespace

void add_network_waves(InstrumentTable& table) {
  add_instrument<NetworkSignals>(table);
}

}  // namespace tsuji::session
