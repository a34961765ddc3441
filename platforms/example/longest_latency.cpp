// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "own_kinds.h"

namespace example {
namespace {

using namespace tsuji;

/// The longest latency of all packets, measured or not.
class LongestLatency final : public session::Instrument {
 public:
  void delivered(const observe::DeliveredPacket& packet) override {
    longest_ = std::max(longest_, packet.tail_cycle - packet.created);
  }
  void report(const session::RunEnd&, observe::Results& results) override {
    results.metric("latency_cycles_longest", longest_, "cycles");
  }
  void show(observe::Results& results) override {
    results.show("latency_cycles_longest", "longest latency of any packet");
  }

 private:
  Cycle longest_ = 0;
};

class LongestLatencyKind final : public session::InstrumentKind {
  std::vector<observe::ResultTable::Column> sweep_columns() const override {
    return {{"latency_cycles_longest", "cycles"}};
  }
  bool sees_deliveries(const platform::RunOptions&) const override { return true; }
  std::unique_ptr<session::Instrument> make(const session::WatchedRun&) const override {
    return std::make_unique<LongestLatency>();
  }
};

}  // namespace

void add_longest_latency(session::InstrumentTable& instruments) {
  instruments.push_back(std::make_unique<LongestLatencyKind>());
}

}  // namespace example
