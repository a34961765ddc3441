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

using instruments::PortState;
using instruments::PortWaits;

constexpr PortState stalls[] = {PortState::no_vc, PortState::no_credit, PortState::lost_switch};

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

/// Writes port_waits.csv: cycles of each input virtual channel by its state.
class Waits final : public Instrument {
 public:
  /// `tables`: also in result.json, beside the file.
  Waits(const WatchedRun& run, bool tables) : run_(run), tables_(tables), waits_(run.loaded.network()) {}

  void report(const RunEnd& end, observe::Results& results) override {
    waits_.finish(end.cycles);
    std::string names = "router,port,vc";
    for (std::size_t state = 0; state < instruments::port_states; ++state)
      names += std::string(",") + name_of(static_cast<PortState>(state));
    observe::RowFile file(run_.options.file("port_waits.csv"), names);
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
  static std::vector<observe::Value> cells(const Row& row) {
    std::vector<observe::Value> cells = {row.port.router, row.port.port, row.vc};
    cells.insert(cells.end(), row.cycles.begin(), row.cycles.end());
    return cells;
  }
  static std::vector<observe::ResultTable::Column> columns() {
    std::vector<observe::ResultTable::Column> columns = {{"router", ""}, {"port", ""}, {"vc", ""}};
    for (std::size_t state = 0; state < instruments::port_states; ++state)
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
};

struct PortWaitsConfig {
  bool port_waits = false;
};

class WaitsKind final : public InstrumentKind {
  void add_keys(config::KeyTable& keys) override {
    keys.add(
        "observe.port_waits", config_.port_waits,
        "whether to write port_waits.csv: cycles in which each input virtual channel of each router was "
        "empty, routed, waited for a virtual channel, a credit or the switch, or moved a flit; the tables "
        "port_states and port_waits of result.json sum them and have the ports that waited longest; false: "
        "neither, but the file with --report on one thread");
  }
  bool sees_flits(const platform::RunOptions& options) const override {
    return config_.port_waits || (options.report && options.threads == 1);
  }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    const bool tells = run.loaded.network().router_kind().tells_stages;
    if (!config_.port_waits && run.options.report && run.options.threads == 1 && tells)
      return std::make_unique<Waits>(run, false);
    if (!config_.port_waits) return nullptr;
    if (run.options.threads > 1)
      throw ConfigError("--threads", std::to_string(run.options.threads),
                        "observe.port_waits counts on one thread", "1");
    if (!tells)
      throw ConfigError("observe.port_waits", "true",
                        std::string("a ") + run.loaded.network().router_kind().name +
                            " does not report the stages of heads",
                        "a router that reports them (TellingRouter), or false");
    return std::make_unique<Waits>(run, true);
  }

  PortWaitsConfig config_;
};

}  // namespace

void add_port_waits(InstrumentTable& table) {
  table.push_back(std::make_unique<WaitsKind>());
}

}  // namespace tsuji::session
