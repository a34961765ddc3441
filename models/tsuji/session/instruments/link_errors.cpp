// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Reports flits that links damaged and sent again.
class LinkErrorCounts final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.config.machine.network.errors.errs(); }
  explicit LinkErrorCounts(const WatchedRun& run) : network_(run.loaded.network()), config_(run.config) {}
  void report(const RunEnd&, observe::Results& results) override {
    const network::LinkErrorSums sums = network_.link_errors();
    results.metric("link_flit_error_rate", config_.machine.network.errors.flit_error_rate(), "");
    results.metric("link_flits_checked", sums.flits, "flits");
    results.metric("link_flits_damaged", sums.errors, "flits");
    results.metric("link_replay_cycles", sums.replay_cycles, "cycles");
  }
  void show(observe::Results& results) override {
    results.show("link_flits_checked", "flits on links");
    results.show("link_flits_damaged", "  damaged, and sent again");
    results.show("link_replay_cycles", "  cycles of replays, all links");
  }

 private:
  const network::VcNetwork& network_;
  const NetworkRunConfig& config_;
};

}  // namespace

void add_link_errors(InstrumentTable& table) {
  add_instrument<LinkErrorCounts>(table);
}

}  // namespace tsuji::session
