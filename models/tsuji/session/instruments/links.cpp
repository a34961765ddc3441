// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/link_report.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Flits of each direction of each link.
class Links final : public Instrument {
 public:
  static bool watches(const WatchedRun&) { return true; }
  explicit Links(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd& end, observe::Results& results) override {
    observe::LinkReportConfig config = run_.config.watch.links;
    config.csv = config.csv || run_.options.report;  // the page draws all links
    observe::add_link_report(
        config, run_.loaded.network().topology(), end.cycles,
        [this](const auto& visit) { run_.loaded.accounts().for_each_link(visit); },
        run_.options.file("links.csv"), results);
  }

 private:
  const WatchedRun& run_;
};

}  // namespace

void add_links(InstrumentTable& table) {
  add_instrument<Links>(table);
}

}  // namespace tsuji::session
