// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/observe/log_wave.h"
#include "tsuji/observe/run_log.h"

using namespace tsuji;
using namespace tsuji::observe;

namespace {

struct Written {
  std::vector<std::string> lines;
  std::vector<LogLevel> levels;
  unsigned closed = 0;
};

class Sink final : public LogSink {
 public:
  explicit Sink(Written& written) : written_(written) {}
  void line(LogLevel level, const std::string& text) override {
    written_.lines.push_back(text);
    written_.levels.push_back(level);
  }
  void close() override { ++written_.closed; }

 private:
  Written& written_;
};

RunLog log_into(Written& written, RunLogConfig config) {
  return RunLog(std::move(config), std::make_unique<Sink>(written));
}

constexpr LogEvent early{"early", 1}, late{"late", 2};
constexpr PacketId first_packet = packet_id(3, 17), second_packet = packet_id(12, 0);

std::string refused(const std::string& text, const std::vector<LogModules>& modules = {}) {
  return tsuji::test::text_of<ConfigError>([&] { LogSelection(text).check(modules); });
}

}  // namespace

TEST_CASE(
    "levels of modules: the longest selector wins, a bare one is debug, a bare level is that of all "
    "modules") {
  const LogSelection selection("nic=debug,router.5=trace,router=off,link");
  CHECK(selection.level_of("nic.3") == LogLevel::debug);
  CHECK(selection.level_of("router.5") == LogLevel::trace);
  CHECK(selection.level_of("router.50") == LogLevel::off);
  CHECK(selection.level_of("link.7") == LogLevel::debug);
  CHECK(selection.level_of("links.7") == LogLevel::off);
  CHECK(selection.level_of("node.5") == LogLevel::off);
  CHECK(selection.text() == "nic=debug,router.5=trace,router=off,link");
  const LogSelection all("switch.1=off,trace,switch.1.2=debug");
  CHECK(all.level_of("node.0") == LogLevel::trace);
  CHECK(all.level_of("switch.0.1") == LogLevel::trace);
  CHECK(all.level_of("switch.1.1") == LogLevel::off);
  CHECK(all.level_of("switch.1.2") == LogLevel::debug);
  CHECK(LogSelection("*=trace").level_of("node.0") == LogLevel::trace);
  CHECK(LogSelection("*").level_of("node.0") == LogLevel::debug);
  CHECK(LogSelection("off").level_of("node.0") == LogLevel::off);
}

TEST_CASE("refused selections, with what would be accepted") {
  const std::vector<LogModules> modules = {{"machine", {}}, {"router", {64}}, {"switch", {3, 16}}};
  const std::string accepted =
      "; accepted: machine, router, router.0..63, switch, switch.0..2.0..15, or * for all";
  for (const char* fits : {"debug", "*", "machine", "router.0", "router.63=trace", "switch.2", "switch.2.15"})
    CHECK_NOTHROW(LogSelection(fits).check(modules));
  for (const char* none : {"router.64", "router.05", "router.", "router.x", "router.-1", "router.1.1", "nic",
                           "rout", "switch.3", "switch.2.16", "machine.0", "router.99999999999", " router"})
    CHECK(refused(none, modules) ==
          std::string("--log: there is no such module (got '") + none + "')" + accepted);
  CHECK(refused("debug,nic=trace", modules) == "--log: there is no such module (got 'nic')" + accepted);
  CHECK(refused("nic=info") == "--log: no such level (got 'nic=info'); accepted: debug, trace, or off");
  CHECK(refused("nic=") == "--log: no such level (got 'nic='); accepted: debug, trace, or off");
  const std::string shape = "; accepted: SELECTOR=LEVEL,..., e.g. nic=debug,router.5=trace";
  CHECK(refused("") == "--log: a selector is missing" + shape);
  for (const char* text : {"nic,", "=debug", ",nic"})
    CHECK(refused(text) == std::string("--log: a selector is missing (got '") + text + "')" + shape);
  CHECK(refused("nic,nic=trace") ==
        "--log: its selector occurs twice in 'nic,nic=trace' (got 'nic=trace'); accepted: one level for it");
  CHECK_THAT(refused("debug,*=trace"), Catch::Contains("occurs twice"));
}

TEST_CASE("lines are sorted by cycle, module, packet and rank, for any order of calls") {
  std::vector<std::vector<std::string>> logs;
  for (const bool backwards : {false, true}) {
    Written written;
    RunLog log = log_into(written, {LogSelection("router=trace,node")});
    const RunLog::Module node = log.add("node.2"), router = log.add("router.10");
    CHECK(log.add("node.2").number == node.number);
    std::vector<std::pair<RunLog::Module, int>> calls = {{node, 0},   {node, 1},   {router, 2}, {router, 3},
                                                         {router, 4}, {router, 5}, {node, 6}};
    if (backwards) std::reverse(calls.begin(), calls.end());
    for (const auto& [module, call] : calls) {
      const std::optional<PacketId> packet = call == 5   ? std::optional<PacketId>()
                                             : call == 2 ? second_packet
                                                         : first_packet;
      log.write(module, call == 4 ? LogLevel::trace : LogLevel::debug, call == 6 ? 4 : 5,
                call == 3 ? late : early, packet, "call " + std::to_string(call));
    }
    // More detail than selected, and a module that is not selected.
    log.write(node, LogLevel::trace, 5, early, first_packet, "no line");
    log.write(log.add("link.0"), LogLevel::debug, 5, early, first_packet, "no line");
    log.close(5);
    CHECK(written.closed == 1);
    CHECK(written.levels[4] == LogLevel::trace);
    CHECK_FALSE(log.empty());
    logs.push_back(written.lines);
  }
  CHECK(logs[0] == logs[1]);
  CHECK(logs[0] == std::vector<std::string>{"        4  debug  node.2        3.17      call 6",
                                            "        5  debug  node.2        3.17      call 0",
                                            "        5  debug  node.2        3.17      call 1",
                                            "        5  debug  router.10     -         call 5",
                                            "        5  trace  router.10     3.17      call 4",
                                            "        5  debug  router.10     3.17      call 3",
                                            "        5  debug  router.10     12.0      call 2"});
}

TEST_CASE("the last cycle that has run is held back, and cycles that have not run have no lines") {
  Written written;
  RunLog log = log_into(written, {LogSelection("debug")});
  const RunLog::Module module = log.add("node.0");
  for (const Cycle cycle : {9, 8, 12, 11, 10})
    log.write(module, LogLevel::debug, cycle, early, std::nullopt, "in " + std::to_string(cycle));
  log.advance(0);
  CHECK(written.lines.empty());
  CHECK(log.empty());
  log.advance(10);
  CHECK(written.lines.size() == 1);
  log.write(module, LogLevel::debug, 9, late, std::nullopt, "between 9 and 10");
  log.advance(11);
  REQUIRE(written.lines.size() == 3);
  CHECK_THAT(written.lines[2], Catch::EndsWith("between 9 and 10"));
  log.close(11);
  CHECK(written.lines.size() == 5);
}

TEST_CASE("a window includes both of its ends, and a packet that has ended has no later lines") {
  Written written;
  RunLogConfig config{LogSelection("debug")};
  config.first_cycle = 10;
  config.last_cycle = 20;
  RunLog log = log_into(written, config);
  const RunLog::Module module = log.add("node.0");
  for (const Cycle cycle : {9, 10, 15, 20, 21})
    log.write(module, LogLevel::debug, cycle, early, first_packet, "in " + std::to_string(cycle));
  log.write(module, LogLevel::debug, 16, early, second_packet, "another one");
  log.write(module, LogLevel::debug, 16, early, std::nullopt, "none");
  log.end_packet(first_packet, 15);
  log.close(30);
  REQUIRE(written.lines.size() == 4);
  CHECK_THAT(written.lines[0], Catch::EndsWith("in 10"));
  CHECK_THAT(written.lines[1], Catch::EndsWith("in 15"));
  CHECK_THAT(written.lines[2], Catch::EndsWith("none"));
  CHECK_THAT(written.lines[3], Catch::EndsWith("another one"));
}

TEST_CASE("a log accepts only declared modules, if any are declared") {
  Written written;
  RunLogConfig config{LogSelection("debug")};
  config.modules = {{"router", {4, 2}}, {"machine", {}}};
  RunLog log = log_into(written, config);
  for (const char* name : {"machine", "router", "router.3", "router.3.1"}) CHECK_NOTHROW(log.add(name));
  for (const char* name : {"link.0", "router.4", "router.3.2", "router.3.1.0", "machine.0", "router."})
    CHECK_THROWS_WITH(log.add(name), std::string("log: there is no declared module '") + name +
                                         "', so --log cannot name it");
}

TEST_CASE("JSON lines have cycle, level, module, packet, event and text") {
  Written written;
  RunLog log = log_into(written, {LogSelection("trace"), LogFormat::json});
  const RunLog::Module module = log.add("router.5");
  log.write(module, LogLevel::trace, 7, early, first_packet, "says \"so\"");
  log.write(module, LogLevel::debug, 8, late, std::nullopt, "dies");
  log.close(8);
  REQUIRE(written.lines.size() == 2);
  CHECK(
      written.lines[0] ==
      R"({"cycle":7,"level":"trace","module":"router.5","packet":"3.17","event":"early","text":"says \"so\""})");
  CHECK(nlohmann::json::parse(written.lines[1])["packet"].is_null());
}

TEST_CASE("signals as lines: states at debug, numbers at trace, by the module in their path") {
  Written written;
  RunLog log = log_into(written, {LogSelection("nic=trace,processor")});
  LogWave wave(log, ClockPeriod(100));
  const SignalId state = wave.add("node5.nic.sender.rhm", 3, WaveFormat::decimal, "group");
  const SignalId number = wave.add("node5.nic.receiver.packets_held", 4, WaveFormat::decimal, "group");
  const SignalId activity = wave.add("node12.processor.activity", 2, WaveFormat::decimal, "group");
  const SignalId task = wave.add("node12.processor.task", 8, WaveFormat::decimal, "group");
  const SignalId other = wave.add("network.r5.phase", 8, WaveFormat::text, "group");
  wave.name_value(state, 1, "fetch");
  wave.name_value(state, 0, "idle");
  wave.name_value(activity, 0, "running");
  wave.change(state, 300, std::uint64_t{1});
  wave.change(number, 399, std::uint64_t{4});
  wave.change(state, 400, std::uint64_t{7});
  wave.change(activity, 450, std::uint64_t{0});
  wave.change(task, 450, std::uint64_t{1});
  wave.change(other, 450, std::string("nothing"));
  log.close(9);
  CHECK(written.lines ==
        std::vector<std::string>{"        3  debug  nic.5         -         sender.rhm: fetch",
                                 "        3  trace  nic.5         -         receiver.packets_held: 4",
                                 "        4  debug  nic.5         -         sender.rhm: 7",
                                 "        4  debug  processor.12  -         activity: running"});
}
