// SPDX-License-Identifier: Apache-2.0
#include <string>

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
  return config;
}

/// Routers and their channels.
class NetworkSignals final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.wave != nullptr; }
  explicit NetworkSignals(const WatchedRun& run)
      : run_(run),
        waves_({run.loaded.network(), run.loaded.pool(), run.loaded.domain(), *run.wave, *run.followed},
               config_of(run)) {}
  void advance(Cycle now) override { waves_.advance(now); }
  void close() override { waves_.finish(); }
  void report(const RunEnd& end, observe::Results& results) override {
    const platform::EmptyResults empty(run_.options, run_.loaded.domain().period().ps_at(end.cycles),
                                       results);
    for (const instruments::FollowedPacket& packet : run_.followed->packets())
      if (packet.wanted().id && !packet.found()) empty.packet_not_found(packet_name(*packet.wanted().id));
  }

 private:
  const WatchedRun& run_;
  instruments::VcNetworkWaves waves_;
};

}  // namespace

void add_network_waves(InstrumentTable& table) {
  add_instrument<NetworkSignals>(table);
}

}  // namespace tsuji::session
