// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "own_kinds.h"
#include "tsuji/link/flit_watch.h"

namespace example {
namespace {

using namespace tsuji;

/// Writes into the input buffers of all routers from a cycle on: a metric, a table, and signal and log lines
/// of each router.
class BufferWrites final : public session::Instrument {
 public:
  BufferWrites(const session::WatchedRun& run, Cycle first_cycle)
      : run_(run), first_cycle_(first_cycle), writes_(run.loaded.network().routers()) {
    for (const network::VcNetwork::ChannelPlace& place : run.loaded.network().channels())
      if (!place.to_node) inputs_.push_back(std::make_unique<Input>(*this, *place.channel, place.to.router));
    for (std::size_t router = 0; router < writes_.size(); ++router) {
      const std::string number = std::to_string(router);
      if (run.wave != nullptr)
        signals_.push_back(
            run.wave->add("buffers.r" + number, 32, observe::WaveFormat::decimal, "buffer writes"));
      if (run.log != nullptr) modules_.push_back(run.log->add("buffers." + number));
    }
  }
  void report(const session::RunEnd&, observe::Results& results) override {
    results.metric("buffer_writes", std::accumulate(writes_.begin(), writes_.end(), std::uint64_t{0}),
                   "flits");
    observe::ResultTable& table = results.table("buffers", {{"router", ""}, {"writes", "flits"}});
    for (std::size_t router = 0; router < writes_.size(); ++router) table.row({router, writes_[router]});
  }
  void show(observe::Results& results) override { results.show("buffer_writes", "writes of buffers"); }

 private:
  /// A router's input.
  class Input final : public FlitWatch {
   public:
    Input(BufferWrites& all, FlitChannel& channel, graph::RouterId router)
        : FlitWatch(channel), all_(all), router_(router) {}

   private:
    void sees_flit(const FlitChannel&, unsigned, const Flit&, Cycle, Cycle ready) override {
      all_.written(router_, ready);
    }
    BufferWrites& all_;
    const graph::RouterId router_;
  };

  void written(graph::RouterId router, Cycle ready) {
    if (ready < first_cycle_) return;
    ++writes_[router];
    if (run_.log != nullptr)
      run_.log->write(modules_[router], observe::LogLevel::debug, ready, {"written", 0}, std::nullopt,
                      "write " + std::to_string(writes_[router]));
    if (run_.wave != nullptr)
      run_.wave->change(signals_[router], run_.loaded.domain().time_of(ready).value(), writes_[router]);
  }

  const session::WatchedRun& run_;
  const Cycle first_cycle_;
  std::vector<std::uint64_t> writes_;  ///< into each router's buffers
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<observe::SignalId> signals_;
  std::vector<observe::RunLog::Module> modules_;
};

class BufferWritesKind final : public session::InstrumentKind {
  void add_keys(config::KeyTable& keys) override {
    keys.add("buffers.first_cycle", first_cycle_, {0, 1'000'000'000}, "cycles", "first cycle that counts");
  }
  std::vector<observe::LogModules> log_modules(const session::NetworkRunConfig&,
                                               const graph::Topology& topology) const override {
    return {{"buffers", {topology.routers()}}};
  }
  bool sees_flits(const platform::RunOptions&) const override { return true; }
  std::vector<observe::ResultTable::Column> sweep_columns() const override {
    return {{"buffer_writes", "flits"}};
  }
  std::unique_ptr<session::Instrument> make(const session::WatchedRun& run) const override {
    return std::make_unique<BufferWrites>(run, first_cycle_);
  }
  Cycle first_cycle_ = 0;
};

}  // namespace

void add_buffer_writes(session::InstrumentTable& instruments) {
  instruments.push_back(std::make_unique<BufferWritesKind>());
}

}  // namespace example
