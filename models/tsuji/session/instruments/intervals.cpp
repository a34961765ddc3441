// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/observe/busiest_rows.h"
#include "tsuji/observe/interval_series.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

struct IntervalsConfig {
  std::optional<Cycle> interval_cycles = 0;  ///< empty: auto; 0: none
};

/// Writes intervals.csv and link_intervals.csv: what happens in each interval of the run.
class Intervals final : public Instrument {
 public:
  Intervals(const WatchedRun& run, Cycle interval_cycles)
      : run_(run), given_(interval_cycles), series_(interval_cycles, links()) {}

  void delivered(const observe::DeliveredPacket& packet) override {
    if (packet.arrival == PacketArrival::first && !packet.source.is_router())
      series_.delivered(packet.tail_cycle - packet.created, packet.flits);
  }
  Cycle next_stop() const override { return series_.next_stop(); }
  void advance(Cycle now) override {
    series_.pass(now, [this](observe::IntervalTotals& totals) { read(totals); });
  }
  void report(const RunEnd& end, observe::Results& results) override {
    series_.finish(end.counted_to, [this](observe::IntervalTotals& totals) { read(totals); });
    if (series_.rows().size() == 1 && given_ > series_.rows().front().cycles)
      results.warn("observe.interval_cycles is longer than the run: intervals.csv has one interval");
    write_rows(results);
    write_links(results);
  }

 private:
  std::size_t links() const {
    std::size_t count = 0;
    run_.loaded.accounts().for_each_link([&](const observe::LinkLoad&) { ++count; });
    return count;
  }
  void read(observe::IntervalTotals& totals) const {
    totals.born = run_.loaded.accounts().packets_born();
    totals.under_way = run_.loaded.accounts().packets_not_ended();
    run_.loaded.accounts().for_each_link(
        [&](const observe::LinkLoad& load) { totals.link_flits.push_back(load.flits); });
  }
  void write_rows(observe::Results& results) const {
    observe::RowFile file(run_.options.file("intervals.csv"),
                          "first_cycle,cycles,born_packets,delivered_packets,delivered_flits,latency_mean,"
                          "latency_max,under_way_packets");
    for (const observe::IntervalSeries::Row& row : series_.rows()) {
      const bool any = row.delivered != 0;
      const auto latency = [&](double value) {
        return any ? observe::Value(value) : observe::Value(nullptr);
      };
      file.add({row.first, row.cycles, row.born, row.delivered, row.flits,
                latency(static_cast<double>(row.latency_sum) / static_cast<double>(row.delivered)),
                any ? observe::Value(row.latency_max) : observe::Value(nullptr), row.under_way});
    }
    file.close();
    results.file("intervals.csv", "a line for every interval of the run");
  }
  void write_links(observe::Results& results) const {
    std::string columns = "from,to";
    for (const observe::IntervalSeries::Row& row : series_.rows()) columns += "," + std::to_string(row.first);
    observe::RowFile file(run_.options.file("link_intervals.csv"), columns);
    std::size_t link = 0;
    const auto place = [](const graph::PortRef& port) {
      return std::to_string(port.router) + ":" + std::to_string(port.port);
    };
    std::vector<observe::Value> cells(2 + series_.rows().size());
    run_.loaded.accounts().for_each_link([&](const observe::LinkLoad& load) {
      cells[0] = place(load.from);
      cells[1] = place(load.to);
      for (std::size_t row = 0; row < series_.rows().size(); ++row) cells[2 + row] = series_.flits(row, link);
      file.add(cells);
      ++link;
    });
    file.close();
    results.file("link_intervals.csv", "flits of every direction of a link in each interval");
  }

  const WatchedRun& run_;
  const Cycle given_;  ///< length of an interval; 0: auto
  observe::IntervalSeries series_;
};

class IntervalsKind final : public InstrumentKind {
  void add_keys(config::KeyTable& keys) override {
    keys.add("observe.interval_cycles", config_.interval_cycles, {0, 1'000'000'000'000}, "auto", "cycles",
             "length of the intervals of intervals.csv and link_intervals.csv: packets, latencies and flits "
             "of each link over time; auto: a length that gives 200 to 400 intervals, fewer in large "
             "networks; 0: no files, but auto with --report on one thread");
  }
  bool sees_deliveries(const platform::RunOptions& options) const override { return on(options); }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (!on(run.options)) return nullptr;
    check_length(run.config);
    return std::make_unique<Intervals>(run, config_.interval_cycles.value_or(0));
  }
  bool on(const platform::RunOptions& options) const {
    return config_.interval_cycles != 0 || options.report;
  }
  /// ConfigError for intervals longer than any run of this measurement. An application's end is unknown.
  void check_length(const NetworkRunConfig& config) const {
    const observe::MeasureConfig& measure = config.measure;
    if (config.workload.kind != NetworkWorkloadKind::synthetic || measure.interval_cycles() == 0) return;
    const Cycle longest =
        measure.warmup_cycles.value_or(measure.longest_warmup_cycles) + measure.cycles + measure.drain_cycles;
    if (config_.interval_cycles.value_or(0) > longest)
      throw ConfigError("observe.interval_cycles", std::to_string(*config_.interval_cycles),
                        "longer than the longest run of this measurement",
                        "up to " + std::to_string(longest) + ", or auto");
  }

  IntervalsConfig config_;
};

}  // namespace

void add_intervals(InstrumentTable& table) {
  table.push_back(std::make_unique<IntervalsKind>());
}

}  // namespace tsuji::session
