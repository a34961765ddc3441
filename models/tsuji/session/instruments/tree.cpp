// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/machines/tree/tree_machine.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

using instruments::FollowedPackets;

/// A unit of the tree, and the nodes to which it sends copies, as places of a waveform's view.
class FollowedUnit final : public machines::TreeProbe {
 public:
  FollowedUnit(machines::TreePort& unit, FollowedPackets& followed)
      : followed_(followed), before_(unit.probe()) {
    unit.set_probe(this);
  }
  FollowedUnit(const FollowedUnit&) = delete;
  FollowedUnit& operator=(const FollowedUnit&) = delete;
  static std::string place(graph::RouterId unit) { return "unit " + std::to_string(unit); }
  void on_take(graph::RouterId unit, End from, const Packet& packet, Cycle at) override {
    if (before_ != nullptr) before_->on_take(unit, from, packet, at);
    followed_.comes(packet, place(unit), at);
  }
  void on_send(graph::RouterId unit, End to, const Packet& packet, Cycle now) override {
    if (before_ != nullptr) before_->on_send(unit, to, packet, now);
    if (!to.is_router()) followed_.comes(packet, FollowedPackets::receives(to), now);
    followed_.goes(packet, now + packet.flits);
  }

 private:
  FollowedPackets& followed_;
  machines::TreeProbe* const before_;
};

/// Counters of the units of a tree at the routers.
class Tree final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return machine_of(run) != nullptr; }
  explicit Tree(const WatchedRun& run) : run_(run), machine_(*machine_of(run)), units_(machine_.units()) {}
  /// Units have their clock after elaboration.
  void elaborate() override {
    if (run_.wave == nullptr) return;
    machine_.elaborate();
    const std::vector<unsigned>& chosen = run_.config.watch.routers;
    for (graph::RouterId router = 0; router < units_.tree().routers(); ++router) {
      const bool wanted = chosen.empty() || std::count(chosen.begin(), chosen.end(), router) != 0;
      if (units_.unit(router) == nullptr) continue;
      followed_.push_back(std::make_unique<FollowedUnit>(units_.port(router), *run_.followed));
      if (wanted) add_wave(router);
    }
  }

  void report(const RunEnd&, observe::Results& results) override {
    const machines::TreeCounters all = units_.counters();
    results.metric("tree_depth", units_.tree().depth(), "links");
    results.metric("tree_multicasts", all.multicasts, "packets");
    results.metric("tree_synchronizations", all.synchronizations, "packets");
    results.metric("tree_copies", all.copied, "packets");
    results.metric("tree_merges", all.merged, "packets");
    results.metric("tree_releases", all.released, "packets");
    results.metric("tree_hops", all.to_units, "packets");
    if (units_.changes()) {
      results.metric("tree_changes", all.changes, "trees");
      results.metric("tree_confirmations", all.confirmations, "packets");
      results.metric("tree_discarded", all.discarded, "packets");
      results.metric("tree_sent_again", all.sent_again, "packets");
      results.metric("tree_late", all.late, "packets");
    }
    add_table(results);
  }
  void show(observe::Results& results) override {
    results.show("tree_multicasts", "multicasts into the tree");
    results.show("tree_copies", "  copies made by its units");
    results.show("tree_synchronizations", "synchronizations into the tree");
    results.show("tree_hops", "packets from unit to unit");
    if (!units_.changes()) return;
    results.show("tree_changes", "changes of the tree");
    results.show("tree_sent_again", "  multicasts sent again");
  }

 private:
  void add_wave(graph::RouterId router) {
    units_.add_wave(router, *run_.wave);
    const std::string scope = "network.r" + std::to_string(router) + ".unit.";
    run_.followed->add(FollowedUnit::place(router),
                       {"unit of router " + std::to_string(router),
                        {scope + "sends", scope + "to_router", scope + "held", scope + "barriers"}});
  }
  static machines::TreeMachine* machine_of(const WatchedRun& run) {
    return dynamic_cast<machines::TreeMachine*>(run.cenju4_nodes);
  }
  void add_table(observe::Results& results) const {
    std::vector<observe::ResultTable::Column> columns = {{"router", ""},
                                                         {"tree_links", ""},
                                                         {"from_nodes", "packets"},
                                                         {"from_units", "packets"},
                                                         {"to_nodes", "packets"},
                                                         {"to_units", "packets"},
                                                         {"copies", "packets"},
                                                         {"merges", "packets"},
                                                         {"releases", "packets"}};
    if (units_.changes())
      for (const char* name : {"sent_again", "swallowed", "discarded", "late", "confirmations"})
        columns.push_back({name, "packets"});
    observe::ResultTable& table = results.table("units", columns);
    for (graph::RouterId router = 0; router < units_.tree().routers(); ++router) {
      const machines::TreeUnit* const unit = units_.unit(router);
      if (unit == nullptr) continue;
      const machines::TreeCounters& own = unit->counters();
      std::vector<observe::Value> row = {router,         units_.tree().links(router).size(),
                                         own.from_nodes, own.from_units,
                                         own.to_nodes,   own.to_units,
                                         own.copied,     own.merged,
                                         own.released};
      if (units_.changes())
        row.insert(row.end(), {own.sent_again, own.swallowed, own.discarded, own.late, own.confirmations});
      table.row(row);
    }
  }

  const WatchedRun& run_;
  machines::TreeMachine& machine_;
  machines::TreeUnits& units_;
  std::vector<std::unique_ptr<FollowedUnit>> followed_;
};

}  // namespace

void add_tree(InstrumentTable& table) {
  add_instrument<Tree>(table);
}

}  // namespace tsuji::session
