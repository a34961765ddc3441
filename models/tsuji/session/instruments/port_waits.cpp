// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/port_waits.h"

#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/observe/busiest_rows.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

using instruments::PortWaits;
using router::PortState;

constexpr PortState stalls[] = {PortState::no_vc, PortState::link_down, PortState::recovery,
                                PortState::no_credit, PortState::lost_switch};

std::uint64_t cycles_of(const PortWaits::Cycles& cycles, PortState state) {
  return cycles[static_cast<std::size_t>(state)];
}

std::uint64_t stalled(const PortWaits::Cycles& cycles) {
  std::uint64_t sum = 0;
  for (const PortState state : stalls) sum += cycles_of(cycles, state);
  return sum;
}

struct Row {
  graph::PortRef port;
  unsigned vc = 0;
  PortWaits::Cycles cycles{};
};

bool waits_longer(const Row& a, const Row& b) {
  const std::uint64_t first = stalled(a.cycles), second = stalled(b.cycles);
  if (first != second) return first > second;
  if (a.port.router != b.port.router) return a.port.router < b.port.router;
  return a.port.port != b.port.port ? a.port.port < b.port.port : a.vc < b.vc;
}

/// Counts at the ends of intervals, whose length doubles before they become too many.
class StateSeries {
 public:
  struct Row {
    Cycle until = 0;
    std::uint64_t buffered_flits = 0;  ///< in the last cycle
    PortWaits::Cycles sums{};          ///< since the beginning
  };
  Cycle next_stop() const { return (rows_.empty() ? 0 : rows_.back().until) + interval_; }
  void add(const Row& row) {
    rows_.push_back(row);
    if (rows_.size() < most_rows) return;
    for (std::size_t i = 0; i < most_rows / 2; ++i) rows_[i] = rows_[2 * i + 1];
    rows_.resize(most_rows / 2);
    interval_ *= 2;
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  static constexpr std::size_t most_rows = 256;
  Cycle interval_ = 256;
  std::vector<Row> rows_;
};

std::string state_names() {
  std::string names;
  for (std::size_t state = 0; state < router::port_states; ++state)
    names += std::string(",") + name_of(static_cast<PortState>(state));
  return names;
}

/// Writes port_waits.csv and wait_intervals.csv: cycles of each input virtual channel by its state, and those
/// of all of them over time.
class Waits final : public Instrument {
 public:
  /// `tables`: also in result.json, beside the file.
  Waits(const WatchedRun& run, bool tables)
      : run_(run), tables_(tables), waits_(run.loaded.network(), share_of(run.loaded)) {}

  Cycle next_stop() const override { return series_.next_stop(); }
  void advance(Cycle now) override {
    if (now >= series_.next_stop()) add_interval(now);
  }
  void report(const RunEnd& end, observe::Results& results) override {
    if (series_.rows().empty() || series_.rows().back().until < end.counted_to) add_interval(end.counted_to);
    write_intervals(results);
    observe::RowFile file(run_.options.file("port_waits.csv"), "router,port,vc" + state_names());
    observe::BusiestRows<Row> rows(run_.config.watch.links.rows, waits_longer);
    PortWaits::Cycles sums{};
    waits_.for_each([&](const graph::PortRef& port, unsigned vc, const PortWaits::Cycles& cycles) {
      file.add(cells({port, vc, cycles}));
      if (stalled(cycles) != 0) rows.add({port, vc, cycles});
      for (std::size_t state = 0; state < cycles.size(); ++state) sums[state] += cycles[state];
    });
    file.close();
    results.file("port_waits.csv", "cycles of each input virtual channel of each router by its state");
    if (!tables_) return;
    add_states(sums, results);
    observe::ResultTable& table = results.table("port_waits", columns());
    for (const Row& row : rows.sorted()) table.row(cells(row));
  }

 private:
  static PortWaits::Share share_of(const network::LoadedNetwork& loaded) {
    return {loaded.ranks(), [&loaded](graph::RouterId router) { return loaded.has_router(router); }};
  }
  void add_interval(Cycle now) {
    waits_.settle(now);
    series_.add({now, waits_.flits_held(), waits_.sums()});
  }
  void write_intervals(observe::Results& results) const {
    observe::RowFile file(run_.options.file("wait_intervals.csv"),
                          "first_cycle,cycles,buffered_flits" + state_names());
    StateSeries::Row before;
    for (const StateSeries::Row& row : series_.rows()) {
      std::vector<observe::Value> cells = {before.until, row.until - before.until, row.buffered_flits};
      for (std::size_t state = 0; state < row.sums.size(); ++state)
        cells.emplace_back(row.sums[state] - before.sums[state]);
      file.add(cells);
      before = row;
    }
    file.close();
    results.file("wait_intervals.csv",
                 "cycles of all input virtual channels by state in each interval of the run");
  }
  static std::vector<observe::Value> cells(const Row& row) {
    std::vector<observe::Value> cells = {row.port.router, row.port.port, row.vc};
    cells.insert(cells.end(), row.cycles.begin(), row.cycles.end());
    return cells;
  }
  static std::vector<observe::ResultTable::Column> columns() {
    std::vector<observe::ResultTable::Column> columns = {{"router", ""}, {"port", ""}, {"vc", ""}};
    for (std::size_t state = 0; state < router::port_states; ++state)
      columns.push_back({name_of(static_cast<PortState>(state)), "cycles"});
    return columns;
  }
  static void add_states(const PortWaits::Cycles& sums, observe::Results& results) {
    std::uint64_t all = 0;
    for (const std::uint64_t sum : sums) all += sum;
    observe::ResultTable& table =
        results.table("port_states", {{"state", ""}, {"cycles", "cycles"}, {"share", ""}});
    for (std::size_t state = 0; state < sums.size(); ++state) {
      if (sums[state] == 0) continue;
      table.row({name_of(static_cast<PortState>(state)), sums[state],
                 static_cast<double>(sums[state]) / static_cast<double>(all)});
    }
    results.show_rows("port_states", table.rows().size(),
                      "input virtual channels of routers: cycles by state");
  }

  const WatchedRun& run_;
  const bool tables_;
  PortWaits waits_;
  StateSeries series_;
};

struct PortWaitsConfig {
  bool port_waits = false;
};

class WaitsKind final : public InstrumentKind {
  void add_keys(config::KeyTable& keys) override {
    keys.add(
        "observe.port_waits", config_.port_waits,
        "whether to write port_waits.csv and wait_intervals.csv: cycles in which each input virtual channel "
        "of each router was "
        "empty, routed, waited for a virtual channel, a link, a credit or the switch, or moved a flit; the "
        "tables "
        "port_states and port_waits of result.json sum them and have the ports that waited longest; false: "
        "neither, but the files with --report");
  }
  bool counts_waits(const platform::RunOptions& options) const override {
    return config_.port_waits || options.report;
  }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (!counts_waits(run.options)) return nullptr;
    const router::RouterKind& kind = run.loaded.network().router_kind();
    if (kind.counts_waits) return std::make_unique<Waits>(run, config_.port_waits);
    if (!config_.port_waits) return nullptr;
    throw ConfigError("observe.port_waits", "true",
                      std::string("a ") + kind.name + " does not count the states of its ports",
                      "a router that counts them (CountingRouter), or false");
  }

  PortWaitsConfig config_;
};

}  // namespace

void add_port_waits(InstrumentTable& table) {
  table.push_back(std::make_unique<WaitsKind>());
}

}  // namespace tsuji::session
