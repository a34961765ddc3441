// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Dropped packets over time: a count for each cause and interval, whose length doubles before there are too
/// many.
class DropSeries {
 public:
  void add(network::NetworkDropCause cause, Cycle now) {
    ++packets_[{now / interval_ * interval_, cause}];
    while (packets_.size() > most_rows) double_interval();
  }
  void add_to(observe::Results& results) const {
    if (packets_.empty()) return;
    observe::ResultTable& table = results.table(
        "drops_over_time",
        {{"first_cycle", "cycle"}, {"cycles", "cycles"}, {"cause", ""}, {"packets", "packets"}});
    for (const auto& [place, packets] : packets_)
      table.row({place.first, interval_, network::network_drop_cause_name(place.second), packets});
  }

 private:
  void double_interval() {
    interval_ *= 2;
    std::map<std::pair<Cycle, network::NetworkDropCause>, std::uint64_t> joined;
    for (const auto& [place, packets] : packets_)
      joined[{place.first / interval_ * interval_, place.second}] += packets;
    packets_.swap(joined);
  }

  static constexpr std::size_t most_rows = 400;
  Cycle interval_ = 1;
  std::map<std::pair<Cycle, network::NetworkDropCause>, std::uint64_t> packets_;
};

/// Packets by their end: delivered, dropped with a cause, in flight; and the accounts of retry.
class Fates final : public Instrument {
 public:
  static bool watches(const WatchedRun&) { return true; }
  explicit Fates(const WatchedRun& run) : loaded_(run.loaded) {
    run.loaded.supervisor().tell_of_drops([this](const Packet&, network::NetworkDropCause cause,
                                                 const network::VcNetwork::InputPlace&,
                                                 Cycle now) { dropped_.add(cause, now); });
  }
  void report(const RunEnd&, observe::Results& results) override {
    loaded_.accounts().fates().add_to(results, "network");
    if (loaded_.retry() != nullptr) {
      loaded_.accounts().network_fates().add_to(results, "network", "network_packets");
      loaded_.retry()->add_to(results);
    }
    observe::ResultTable& drops = results.table("drops", {{"cause", ""}, {"packets", "packets"}});
    for (const network::NetworkDropCause cause : loaded_.accounts().drop_causes())
      drops.row({network::network_drop_cause_name(cause), loaded_.supervisor().dropped(cause)});
    dropped_.add_to(results);
  }
  void show(observe::Results& results) override {
    if (loaded_.retry() == nullptr) return;
    results.show("packets_repeated", "packets repeated");
    results.show("acks_sent", "acknowledgements");
    results.show("packets_lost", "packets given up, and lost");
  }

 private:
  const network::LoadedNetwork& loaded_;
  DropSeries dropped_;
};

}  // namespace

void add_fates(InstrumentTable& table) {
  add_instrument<Fates>(table);
}

}  // namespace tsuji::session
