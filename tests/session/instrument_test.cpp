// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "own_kinds.h"
#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/session/network_main.h"

using namespace tsuji;

namespace {

/// Records its calls, and may break the contract of the log.
class Notes final : public session::Instrument {
 public:
  Notes(const session::WatchedRun& run, std::uint64_t& seen, bool logs) : seen_(seen) {
    if (logs && run.log != nullptr) run.log->add("notes");
  }
  void begin() override { ++begun_; }
  void delivered(const observe::DeliveredPacket&) override { ++seen_; }
  void report(const session::RunEnd& end, observe::Results& results) override {
    results.metric("noted_begins", begun_, "");
    results.metric("noted_cycles", end.cycles, "cycles");
  }

 private:
  std::uint64_t& seen_;
  std::uint64_t begun_ = 0;
};

class NotesKind final : public session::InstrumentKind {
 public:
  explicit NotesKind(std::uint64_t& seen) : seen_(seen) {}

 private:
  void add_keys(config::KeyTable& keys) override {
    keys.add("notes.logs", logs_, "adds a module to the log");
  }
  void validate_with(const graph::Topology& topology) const override {
    if (topology.routers() > 16) throw ConfigError("topology.radices", "", "too many routers", "16 routers");
  }
  std::vector<observe::ResultTable::Column> sweep_columns() const override {
    return {{"noted_cycles", "cycles"}, {"noted_nowhere", ""}};
  }
  bool sees_deliveries(const platform::RunOptions&) const override { return true; }
  std::unique_ptr<session::Instrument> make(const session::WatchedRun& run) const override {
    return std::make_unique<Notes>(run, seen_, logs_);
  }
  std::uint64_t& seen_;
  bool logs_ = false;
};

struct EndedRun {
  int status = -1;
  std::uint64_t delivered = 0;
};

/// A router without any optional ability.
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

/// A short run of a program with the instrument of platforms/example and the one above, in which all packets
/// arrive.
EndedRun run(const std::string& folder, std::vector<std::string> more = {}) {
  EndedRun ended;
  session::NetworkProgram program;
  program.add_kinds = [&](session::NetworkRunConfig& config) {
    example::add_buffer_writes(config.instruments);
    config.instruments.push_back(std::make_unique<NotesKind>(ended.delivered));
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

TEST_CASE("a custom instrument adds a metric and a table, and sees all deliveries") {
  const test::TemporaryFolder folder;
  const EndedRun ended = run(folder.file("out"));
  REQUIRE(ended.status == 0);
  const nlohmann::json results = results_in(folder.file("out"));
  CHECK(results["platform"] == "buffers");
  // Each flit is written once into each router on its path.
  CHECK(metric(results, "buffer_writes") == metric(results, "flit_hops"));
  CHECK(metric(results, "buffer_writes") > 1000);
  CHECK(metric(results, "noted_begins") == 1);
  CHECK(metric(results, "noted_cycles") == metric(results, "simulated_cycles"));
  CHECK(results["tables"]["buffers"]["rows"].size() == 16);
  CHECK(ended.delivered == metric(results, "packets_delivered"));
}

TEST_CASE("a custom instrument has keys and signals") {
  const test::TemporaryFolder folder;
  const std::string out = folder.file("out");
  REQUIRE(run(out, {"--set", "buffers.first_cycle=400", "--waves", "--waves-format", "vcd"}).status == 0);
  const nlohmann::json results = results_in(out);
  CHECK(metric(results, "buffer_writes") < metric(results, "flit_hops") / 2);
  CHECK_THAT(folder.text("out/network.vcd"),
             Catch::Contains("$scope module buffers $end") && Catch::Contains(" r15 "));
}

TEST_CASE("a custom instrument has modules in the log, beside the library's") {
  const test::TemporaryFolder folder;
  REQUIRE(run(folder.file("out"), {"--log", "buffers.3,node.0"}).status == 0);
  CHECK_THAT(folder.text("out/log.txt"), Catch::Contains("  debug  buffers.3     -         write 1\n") &&
                                             Catch::Contains("  node.0  ") && !Catch::Contains("buffers.2"));
  CHECK(run(folder.file("other"), {"--log", "buffers.16"}).status == 2);
}

TEST_CASE("a module in the log that no instrument has declared ends the run") {
  const test::TemporaryFolder folder;
  CHECK(run(folder.file("out"), {"--log", "buffers.3", "--set", "notes.logs=true"}).status == 1);
}

TEST_CASE("a custom instrument refuses a topology that it cannot observe") {
  const test::TemporaryFolder folder;
  CHECK(run(folder.file("out"), {"--set", "topology.radices=[5, 5]"}).status == 2);
  CHECK(run(folder.file("out"), {"--set", "buffers.first_cycle=-1"}).status == 2);
}

TEST_CASE("waves and records of routers that report no stages are refused before any of them is made") {
  const test::TemporaryFolder folder;
  for (const char* option : {"--waves", "--records"})
    CHECK(run(folder.file("out"), {"--set", "router.kind=plain", option}).status == 2);
  CHECK(run(folder.file("none"), {"--set", "router.kind=plain"}).status == 1);
}
