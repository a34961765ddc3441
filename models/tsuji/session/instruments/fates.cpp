// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Packets by their end: delivered, dropped with a cause, in flight; and the accounts of retry.
class Fates final : public Instrument {
 public:
  static bool watches(const WatchedRun&) { return true; }
  explicit Fates(const WatchedRun& run) : loaded_(run.loaded) {}
  void report(const RunEnd&, observe::Results& results) override {
    loaded_.accounts().fates().add_to(results, "network");
    if (loaded_.retry() != nullptr) {
      loaded_.accounts().network_fates().add_to(results, "network", "network_packets");
      loaded_.retry()->add_to(results);
    }
    observe::ResultTable& drops = results.table("drops", {{"cause", ""}, {"packets", "packets"}});
    for (const network::NetworkDropCause cause : loaded_.accounts().drop_causes())
      drops.row({network::network_drop_cause_name(cause), loaded_.supervisor().dropped(cause)});
  }
  void show(observe::Results& results) override {
    if (loaded_.retry() == nullptr) return;
    results.show("packets_repeated", "packets repeated");
    results.show("acks_sent", "acknowledgements");
    results.show("packets_lost", "packets given up, and lost");
  }

 private:
  const network::LoadedNetwork& loaded_;
};

}  // namespace

void add_fates(InstrumentTable& table) {
  add_instrument<Fates>(table);
}

}  // namespace tsuji::session
