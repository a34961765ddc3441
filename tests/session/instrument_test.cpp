// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/link/flit_watch.h"
#include "tsuji/session/network_main.h"

using namespace tsuji;

namespace {

/// Writes into the input buffers of all routers from a cycle on: a metric, a table, and a signal a router.
class BufferWrites final : public session::Instrument {
 public:
  BufferWrites(const session::WatchedRun& run, Cycle first_cycle, unsigned logged)
      : run_(run), first_cycle_(first_cycle), writes_(run.loaded.network().routers()) {
    for (const network::VcNetwork::ChannelPlace& place : run.loaded.network().channels())
      if (!place.to_node) inputs_.push_back(std::make_unique<Input>(*this, *place.channel, place.to.router));
    for (std::size_t router = 0; run.wave != nullptr && router < writes_.size(); ++router)
      signals_.push_back(
          run.wave->add("buffers.r" + std::to_string(router), 32, observe::WaveFormat::decimal, "buffers"));
    for (std::size_t router = 0; run.log != nullptr && router < logged; ++router)
      modules_.push_back(run.log->add("buffers." + std::to_string(router)));
  }
  void begin() override { ++begun_; }
  void report(const session::RunEnd& end, observe::Results& results) override {
    results.metric("buffer_writes", std::accumulate(writes_.begin(), writes_.end(), std::uint64_t{0}), "");
    results.metric("buffer_cycles", end.cycles, "cycles");
    results.metric("buffers_begun", begun_, "");
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
    if (!modules_.empty())
      run_.log->write(modules_[router], observe::LogLevel::debug, ready, {"written", 0}, std::nullopt,
                      "write " + std::to_string(writes_[router]));
    if (signals_.empty()) return;
    run_.wave->change(signals_[router], run_.loaded.domain().time_of(ready).value(), writes_[router]);
  }

  const session::WatchedRun& run_;
  const Cycle first_cycle_;
  std::vector<std::uint64_t> writes_;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<observe::SignalId> signals_;
  std::vector<observe::RunLog::Module> modules_;
  std::uint64_t begun_ = 0;
};

class BufferWritesKind final : public session::InstrumentKind {
  void add_keys(config::KeyTable& keys) override {
    keys.add("buffers.first_cycle", first_cycle_, {0, 1000}, "cycles", "first cycle that counts");
    keys.add("buffers.logged", logged_, {1, 99}, "", "routers of which there are modules in the log");
  }
  void validate_with(const graph::Topology& topology) const override {
    if (topology.routers() > 16) throw ConfigError("topology.radices", "", "too many buffers", "16 routers");
  }
  std::vector<observe::LogModules> log_modules(const session::NetworkRunConfig&,
                                               const graph::Topology& topology) const override {
    return {{"buffers", {topology.routers()}}};
  }
  std::vector<observe::ResultTable::Column> sweep_columns() const override {
    return {{"buffer_writes", ""}, {"buffer_reads", "flits"}};
  }
  std::unique_ptr<session::Instrument> make(const session::WatchedRun& run) const override {
    return std::make_unique<BufferWrites>(run, first_cycle_, logged_);
  }
  Cycle first_cycle_ = 0;
  unsigned logged_ = 16;
};

/// Sees every delivery.
class Deliveries final : public session::Instrument {
 public:
  explicit Deliveries(std::uint64_t& seen) : seen_(seen) {}
  void delivered(const observe::DeliveredPacket&) override { ++seen_; }

 private:
  std::uint64_t& seen_;
};

class DeliveriesKind final : public session::InstrumentKind {
 public:
  explicit DeliveriesKind(std::uint64_t& seen) : seen_(seen) {}

 private:
  bool sees_deliveries(const platform::RunOptions&) const override { return true; }
  std::unique_ptr<session::Instrument> make(const session::WatchedRun&) const override {
    return std::make_unique<Deliveries>(seen_);
  }
  std::uint64_t& seen_;
};

struct Ended {
  int status = -1;
  std::uint64_t delivered = 0;
};

/// A router without any ability.
struct PlainRouterConfig {
  router::RouterKind make(const router::VcRouterConfig& /*config*/) const {
    router::RouterKind kind;
    kind.name = "plain router";
    kind.make = [](graph::RouterId, const std::vector<router::RouterPort>&,
                   const router::RouterParts&) -> ArenaPtr<router::FlitRouter> {
      throw ModelError("plain router", "it was made");
    };
    return kind;
  }
};

/// A short run of a program with the two instruments of above, all of whose packets arrive.
Ended run(const std::string& folder, std::vector<std::string> more = {}) {
  Ended ended;
  session::NetworkProgram program;
  program.add_kinds = [&](session::NetworkRunConfig& config) {
    config.instruments.push_back(std::make_unique<BufferWritesKind>());
    config.instruments.push_back(std::make_unique<DeliveriesKind>(ended.delivered));
    config.machine.network.router_kinds.add<PlainRouterConfig>("plain");
  };
  std::vector<std::string> words = {"/some/where/buffers", "--quiet", "--out", folder};
  for (const char* setting : {"topology.radices=[4, 4]", "measure.warmup_cycles=0", "measure.cycles=500",
                              "traffic.last_cycle=499"}) {
    words.emplace_back("--set");
    words.emplace_back(setting);
  }
  words.insert(words.end(), more.begin(), more.end());
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  ended.status = session::network_main(static_cast<int>(argv.size()), argv.data(), program);
  return ended;
}

nlohmann::json results_in(const std::string& folder) {
  std::ifstream file(folder + "/result.json");
  return nlohmann::json::parse(file);
}

std::uint64_t metric(const nlohmann::json& results, const char* name) {
  return results["metrics"][name]["value"].get<std::uint64_t>();
}

}  // namespace

TEST_CASE("an instrument of a program's own adds a metric and a table, and sees all deliveries") {
  const test::TemporaryFolder folder;
  const Ended ended = run(folder.file("out"));
  REQUIRE(ended.status == 0);
  const nlohmann::json results = results_in(folder.file("out"));
  CHECK(results["platform"] == "buffers");
  // Each flit is written once into each router that moves it.
  CHECK(metric(results, "buffer_writes") == metric(results, "flit_hops"));
  CHECK(metric(results, "buffer_writes") > 1000);
  CHECK(metric(results, "buffers_begun") == 1);
  CHECK(metric(results, "buffer_cycles") == metric(results, "simulated_cycles"));
  CHECK(results["tables"]["buffers"]["rows"].size() == 16);
  CHECK(ended.delivered == metric(results, "packets_delivered"));
}

TEST_CASE("an instrument of a program's own has keys and signals") {
  const test::TemporaryFolder folder;
  const std::string out = folder.file("out");
  REQUIRE(
      run(out, {"--set", "buffers.first_cycle=400", "--trace", "signals", "--trace-format", "vcd"}).status ==
      0);
  const nlohmann::json results = results_in(out);
  CHECK(metric(results, "buffer_writes") < metric(results, "flit_hops") / 2);
  CHECK_THAT(folder.text("out/network.vcd"),
             Catch::Contains("$scope module buffers $end") && Catch::Contains(" r15 "));
}

TEST_CASE("an instrument of a program's own has modules in the log, beside the library's") {
  const test::TemporaryFolder folder;
  REQUIRE(run(folder.file("out"), {"--log", "buffers.3,node.0"}).status == 0);
  CHECK_THAT(folder.text("out/log.txt"), Catch::Contains("  debug  buffers.3     -         write 1\n") &&
                                             Catch::Contains("  node.0  ") && !Catch::Contains("buffers.2"));
  CHECK(run(folder.file("other"), {"--log", "buffers.16"}).status == 2);
}

TEST_CASE("a module in the log that no instrument has declared ends the run") {
  const test::TemporaryFolder folder;
  CHECK(run(folder.file("out"), {"--log", "buffers.3", "--set", "buffers.logged=17"}).status == 1);
}

TEST_CASE("an instrument of a program's own refuses a topology that it cannot watch") {
  const test::TemporaryFolder folder;
  CHECK(run(folder.file("out"), {"--set", "topology.radices=[5, 5]"}).status == 2);
  CHECK(run(folder.file("out"), {"--set", "buffers.first_cycle=1001"}).status == 2);
}

TEST_CASE("a trace of routers that tell no stages is refused before any of them is made") {
  const test::TemporaryFolder folder;
  const auto status = [&](const char* traced) {
    return run(folder.file(traced), {"--set", "router.kind=plain", "--trace", traced}).status;
  };
  CHECK(status("signals") == 2);
  CHECK(status("packets") == 2);
  CHECK(run(folder.file("none"), {"--set", "router.kind=plain"}).status == 1);
}
