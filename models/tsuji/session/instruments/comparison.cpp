// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"
#include "tsuji/session/run_record.h"

namespace tsuji::session {
namespace {

struct ComparisonConfig {
  bool record = false;
  std::string against;
  bool score = false;
  bool on() const { return record || !against.empty(); }
};

/// Packets that are generated before cycle `end`: all runs of a configuration wait for them.
struct ComparedBirths {
  Cycle first = 0, end = never;
  explicit ComparedBirths(const NetworkRunConfig& config) {
    const observe::MeasureConfig& measure = config.measure;
    if (config.workload.kind != NetworkWorkloadKind::synthetic || !measure.warmup_cycles ||
        measure.interval_cycles() == 0)
      return;
    first = *measure.warmup_cycles;
    end = first + measure.interval_cycles();
  }
  bool has(const observe::DeliveredPacket& packet) const {
    return packet.arrival == PacketArrival::first && packet.created >= first && packet.created < end;
  }
};

/// Compares each packet's cycles, each switch's look-ups and each router's flits with those of another run.
class Comparison final : public Instrument {
 public:
  Comparison(const WatchedRun& run, const ComparisonConfig& config)
      : run_(run), config_(config), births_(run.config) {}

  void delivered(const observe::DeliveredPacket& packet) override {
    if (births_.has(packet)) record_.add(packet);
  }
  void report(const RunEnd& end, observe::Results& results) override {
    if (run_.loaded.accounts().packets_under_way() == 0)
      count();
    else
      results.warn(
          "run.csv and compare.against contain only packets: counters of switches and routers would include "
          "packets still in flight at the end (traffic.last_cycle)");
    if (config_.record) write(results);
    if (!config_.against.empty()) compare(end, results);
  }
  void show(observe::Results& results) override {
    if (config_.against.empty()) return;
    results.show("compared_packets", config_.score ? "packets compared" : "packets compared, all equal");
    if (!config_.score) return;
    results.show("compared_latency_cycles_before", "latency from injection to tail, mean, there");
    results.show("compared_latency_cycles", "latency from injection to tail, mean, here");
  }

 private:
  void count() {
    const network::VcNetwork& network = run_.loaded.network();
    for (graph::RouterId id = 0; id < network.routers(); ++id) {
      record_.add_router(id, network.counters(id).flits);
      if (run_.loaded.lookup() != nullptr) record_.add(id, run_.loaded.lookup()->counters(id));
    }
  }
  void write(observe::Results& results) const {
    OutputFile file(run_.options.file("run.csv"), "--out");
    record_.write(file.stream());
    file.commit();
    results.file("run.csv", "cycles of every packet, for compare.against");
  }
  void compare(const RunEnd& end, observe::Results& results) const {
    const RunRecord before = RunRecord::read(config_.against);
    if (config_.score) return score(end, before, results);
    const RunDifference difference = record_.difference(before, config_.against);
    if (!difference.text.empty())
      throw ModelError("comparison", difference.cycle, difference.packet, difference.text);
    results.metric("compared_packets", record_.packets().size(), "packets");
  }
  void score(const RunEnd& end, const RunRecord& before, observe::Results& results) const {
    const LatencyScore score = record_.score(before);
    if (score.lost != 0)
      throw ModelError("comparison", end.cycles, "",
                       std::to_string(score.lost) +
                           " packets are lost or changed: in one of the runs only, " +
                           "or with another source or destination");
    results.metric("compared_packets", score.packets, "packets");
    results.metric("compared_packets_equal", score.equal, "packets");
    results.metric("compared_packets_later", score.later, "packets");
    results.metric("compared_packets_earlier", score.earlier, "packets");
    results.metric("compared_most_later_cycles", score.most_later, "cycles");
    results.metric("compared_most_earlier_cycles", score.most_earlier, "cycles");
    results.metric("compared_latency_cycles_before", score.mean_before, "cycles");
    results.metric("compared_latency_cycles", score.mean(), "cycles");
  }

  const WatchedRun& run_;
  const ComparisonConfig config_;
  const ComparedBirths births_;
  RunRecord record_;
};

class ComparisonKind final : public InstrumentKind {
  void add_keys(config::KeyTable& keys) override {
    keys.add("compare.record", config_.record,
             "whether to write run.csv, with each packet's cycles, each switch's look-ups and each router's "
             "flits, to the output folder");
    keys.add_path("compare.against", config_.against,
                  "file run.csv of another run, with which this run is compared packet by packet; a "
                  "difference ends the run as a model failure");
    keys.add("compare.score", config_.score,
             "whether packets may arrive in other cycles than in compare.against, and latency differences "
             "are measured; a missing packet is still a failure");
    keys.only_with("compare.score", {{"compare.against", {}}});
  }
  void validate_with(const graph::Topology&) const override {
    if (!config_.against.empty()) RunRecord::read(config_.against);
  }
  bool sees_deliveries(const platform::RunOptions&) const override { return config_.on(); }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (!config_.on()) return nullptr;
    return std::make_unique<Comparison>(run, config_);
  }

  ComparisonConfig config_;
};

}  // namespace

void add_comparison(InstrumentTable& table) {
  table.push_back(std::make_unique<ComparisonKind>());
}

}  // namespace tsuji::session
