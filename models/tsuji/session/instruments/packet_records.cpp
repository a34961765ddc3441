// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/graph/node_distances.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/observe/busiest_rows.h"
#include "tsuji/observe/packet_records.h"
#include "tsuji/platform/empty_results.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

std::vector<std::string> class_names(const WatchedRun& run) {
  std::vector<std::string> names;
  for (const MessageClass& one : run.config.machine.message_classes().all) names.push_back(one.name);
  return names;
}

/// Writes OUT/packets.csv: one line per packet, with the parts of its latency.
class Records final : public Instrument {
 public:
  explicit Records(const WatchedRun& run)
      : run_(run),
        ledger_(run.loaded.network(), run.loaded.pool_of_heads(), run.reconfiguration != nullptr),
        records_(run.options.open_packet_records(ledger_.part_names(), run.loaded.domain().period(),
                                                 run.results, class_names(run))) {
    if (run.options.report && graph::NodeDistances::suffices(run.plan.topology))
      records_->count_distances(distances_.emplace(run.plan.topology));
    run.loaded.supervisor().tell_of_drops([this](const Packet& packet, network::NetworkDropCause cause,
                                                 const network::VcNetwork::InputPlace&, Cycle now) {
      ledger_.forget(packet.id);
      records_->add_dropped(observe::DeliveredPacket::of(packet, 0, 0), now,
                            network::network_drop_cause_name(cause));
    });
  }
  void delivered(const observe::DeliveredPacket& packet) override {
    records_->add(packet, ledger_.take(packet));
  }
  void close() override { records_->close(); }
  void report(const RunEnd& end, observe::Results& results) override {
    platform::EmptyResults(run_.options, run_.loaded.domain().period().ps_at(end.cycles), results)
        .check(records_.get());
    if (!run_.options.report) return;
    write_sums("packet_parts.csv", "hops", records_->sums_by_hops(), results);
    if (distances_)
      write_sums("packet_parts_by_distance.csv", "distance", records_->sums_by_distance(), results);
  }

 private:
  /// For the page, which need not read a line for each packet.
  void write_sums(const std::string& name, const std::string& group, const observe::PacketRecords::Sums& sums,
                  observe::Results& results) const {
    std::string columns = group + ",packets";
    for (const std::string& part : ledger_.part_names()) columns += "," + part + "_cycles";
    observe::RowFile file(run_.options.file(name), columns);
    for (std::size_t number = 0; number < sums.size(); ++number) {
      if (sums[number].empty()) continue;
      std::vector<observe::Value> row = {number};
      row.insert(row.end(), sums[number].begin(), sums[number].end());
      file.add(row);
    }
    file.close();
    results.file(name, "sums of the parts of packets' latencies by " + group);
  }

  const WatchedRun& run_;
  instruments::PacketLedger ledger_;
  std::optional<graph::NodeDistances> distances_;  ///< for the page
  const std::unique_ptr<observe::PacketRecords> records_;
};

class RecordsKind final : public InstrumentKind {
  bool sees_deliveries(const platform::RunOptions& options) const override { return options.record_packets; }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (!run.options.record_packets) return nullptr;
    return std::make_unique<Records>(run);
  }
};

}  // namespace

void add_packet_records(InstrumentTable& table) {
  table.push_back(std::make_unique<RecordsKind>());
}

}  // namespace tsuji::session
