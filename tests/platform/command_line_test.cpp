// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/command_line.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <tuple>

#include "platform/outcome.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/version.h"

using namespace tsuji;
using namespace tsuji::platform;
using tsuji::test::Outcome;

namespace {

/// A machine without hardware: its result depends on its configuration and seed alone.
struct Toy {
  unsigned draws = 3;
  double scale = 0.1;
  std::string fail;
  unsigned sends = 0;

  Platform platform() {
    Platform toy;
    toy.name = "toy";
    toy.description = "draws numbers";
    toy.add_keys = [this](config::KeyTable& keys) {
      keys.add("run.draws", draws, {1, 100}, "numbers", "how many to draw");
      keys.add("run.scale", scale, {0.0, 1e6}, "", "what to multiply them with");
      keys.add("run.fail", fail, "how to fail");
      keys.add("run.signal", sends, {0, 15}, "", "to send itself");
    };
    toy.validate = [this] {
      if (draws == 13) throw ConfigError("run.draws", "13", "unlucky", "another number");
    };
    toy.renames = {{config::Rename::Kind::key, "0.2", "draws", "run.draws"},
                   {config::Rename::Kind::option, "0.2", "--draw", "--quiet"}};
    toy.key_options = {{"--scale", "run.scale", "FACTOR", "multiplies all draws"}};
    toy.run = [this](const RunOptions& options, observe::Results& results) { run(options, results); };
    return toy;
  }

 private:
  void run(const RunOptions& options, observe::Results& results) const {
    if (fail == "model") throw ModelError("switch3", 17, "1.2", "lost");
    if (fail == "memory") throw std::bad_alloc();
    if (fail == "input") throw ConfigError("", "x", "bad trace", "a good one");
    if (sends != 0) std::raise(static_cast<int>(sends));
    options.check_interruption(results);
    if (fail == "warn") options.log->warn("look at 7");
    CounterRandom random(options.seed, 0);
    double sum = 0.0;
    const auto wave = options.open_wave("toy", results);
    const observe::SignalId signal = wave ? wave->add("toy.value", 64, observe::WaveFormat::hex, "Toy") : 0;
    for (unsigned i = 0; i < draws; ++i) {
      const std::uint64_t value = random.next();
      sum += static_cast<double>(value) * scale;
      if (wave) wave->change(signal, 1000 * (i + 1), value);
      options.progress->update(i / static_cast<double>(draws));
    }
    if (wave) wave->close();
    results.metric("sum", sum, "numbers");
    results.show("sum", "sum of the numbers", "4");
  }
};

/// Runs in a separate folder, which is the current folder for the lifetime of the object.
class Session {
 public:
  Session() : before_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tsuji_toy_XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::filesystem::current_path(folder_);
  }
  ~Session() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  static Outcome run(const std::vector<std::string>& words) {
    Toy toy;
    return tsuji::test::call(toy.platform(), words);
  }
  static std::string text(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    REQUIRE(file.is_open());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const std::string& name, const std::string& text) { std::ofstream(name) << text; }
  /// result.json without the one metric that may differ.
  static nlohmann::ordered_json result(const std::string& folder) {
    auto json = nlohmann::ordered_json::parse(text(folder + "/result.json"));
    REQUIRE(observe::validate_result(json).empty());
    REQUIRE(json["metrics"].erase("wall_seconds") == 1);
    return json;
  }

 private:
  std::filesystem::path before_, folder_;
};

}  // namespace

TEST_CASE("a run leaves its results and its configuration, and prints their place") {
  const Session session;
  session.write("c.yaml", "run:\n  draws: 5\n");
  const Outcome outcome = session.run({"--set", "run.scale=2.5", "c.yaml", "--seed", "9"});
  REQUIRE(outcome.err.empty());
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("sum of the numbers") != std::string::npos);
  CHECK(outcome.out.find("paper") != std::string::npos);
  CHECK(outcome.out.find("out/toy/result.json") != std::string::npos);
  CHECK(outcome.out.find("out/toy/resolved.yaml") != std::string::npos);
  const auto json = session.result("out/toy");
  CHECK(json["platform"] == "toy");
  CHECK(json["seed"] == 9);
  CHECK(json["config"].dump() == R"({"seed":9,"run":{"draws":5,"scale":2.5,"fail":"","signal":0}})");
  const std::string resolved = session.text("out/toy/resolved.yaml");
  CHECK(resolved.find("\nseed: 9\nrun:\n  draws: 5  # numbers\n  scale: 2.5\n  fail: \"\"\n  signal: 0\n") !=
        std::string::npos);
}

TEST_CASE("the resolved file alone repeats the run byte for byte") {
  const Session session;
  for (const char* format : {"vcd", observe::writes_fst() ? "fst" : "vcd"}) {
    const std::string wave = std::string("/toy.") + format;
    REQUIRE(session
                .run({"--set", "run.scale=0.30000000000000004", "--seed=0xdeadbeef", "--out", "a", "--quiet",
                      "--waves", "--waves-format", format})
                .status == 0);
    REQUIRE(session.run({"a/resolved.yaml", "--out", "b", "--quiet", "--waves", "--waves-format", format})
                .status == 0);
    CHECK(session.text("a/resolved.yaml") == session.text("b/resolved.yaml"));
    CHECK(session.result("a").dump() == session.result("b").dump());
    CHECK(session.text("a" + wave) == session.text("b" + wave));
    CHECK(session.text("a/toy.gtkw") == session.text("b/toy.gtkw"));
  }
  REQUIRE(session.run({"--seed", "2", "--out", "c", "--quiet"}).status == 0);
  CHECK(session.result("c")["metrics"] != session.result("a")["metrics"]);
  CHECK_FALSE(std::filesystem::exists("c/toy.fst"));
  REQUIRE(session.run({"a/resolved.yaml", "--out", "d", "--quiet"}).status == 0);
  CHECK(session.result("d").dump() == session.result("a").dump());  // waves change nothing
}

TEST_CASE("printing does not run") {
  const Session session;
  const Outcome list = session.run({"--list-keys"});
  CHECK(list.status == 0);
  CHECK(list.out.find(
            "seed\n    seed of all random numbers\n    type: integer; default: 1; accepted: an integer "
            "0..18446744073709551615\nrun.draws\n    how many to draw\n    type: integer; unit: numbers; "
            "default: 3;") == 0);
  const Outcome schema = session.run({"--json-schema"});
  CHECK(schema.status == 0);
  CHECK(nlohmann::json::parse(schema.out)["properties"]["run"]["properties"]["draws"]["default"] == 3);
  const Outcome print = session.run({"--print-config", "all", "--set", "run.draws=8"});
  CHECK(print.status == 0);
  CHECK(print.out.find("  draws: 8  # numbers\n") != std::string::npos);
  session.write("again.yaml", print.out);
  CHECK(session.run({"again.yaml", "--print-config", "all"}).out == print.out);
  CHECK(session.run({"--print-config", "again.yaml"}).out ==
        session.run({"again.yaml", "--print-config"}).out);
  CHECK(session.run({"--version"}).out.find("toy " + std::string(version_text) + " (") == 0);
  CHECK(session.run({"--help"}).status == 0);
  CHECK_FALSE(std::filesystem::exists("out"));
}

TEST_CASE("a platform's old keys and options are refused with the new ones") {
  const Session session;
  for (const std::string& word : {std::string("--draw"), std::string("--draw=3")}) {
    const Outcome option = session.run({word});
    CHECK(option.status == 2);
    CHECK(option.err == "toy: " + word + ": is called --quiet since 0.2; accepted: --quiet\n");
  }
  const Outcome key = session.run({"--set", "draws=3"});
  CHECK(key.status == 2);
  CHECK(key.err.find("draws: is called run.draws since 0.2 (got '3')") != std::string::npos);
  // The library's renamed key, whose new key this platform lacks.
  CHECK(session.run({"--set", "workload.load_cycles=3"}).err.find("unknown key") != std::string::npos);
}

TEST_CASE("the version is one number and its parts") {
  STATIC_REQUIRE(TSUJI_VERSION == TSUJI_VERSION_NUMBER(version_major, version_minor, version_patch));
  STATIC_REQUIRE(TSUJI_VERSION_NUMBER(0, 2, 0) > TSUJI_VERSION_NUMBER(0, 1, 99));
  STATIC_REQUIRE(TSUJI_VERSION_NUMBER(1, 0, 0) > TSUJI_VERSION_NUMBER(0, 99, 99));
  CHECK(std::to_string(version_major) + "." + std::to_string(version_minor) + "." +
            std::to_string(version_patch) ==
        version_text);
}

TEST_CASE("keys that differ from the default are printed with the places that set them") {
  const Session session;
  CHECK(session.run({"--print-config"}).out.find("# every key has its default\n") != std::string::npos);
  session.write("some.yaml", "seed: 1\nrun:\n  draws: 9\n");
  const std::string text = session.run({"some.yaml", "--print-config"}).out;
  CHECK(text.substr(text.find('\n') + 1) == "run:\n  draws: 9  # numbers; some.yaml:3:10\n");
  session.write("changed.yaml", text);
  CHECK(session.run({"changed.yaml", "--print-config", "all"}).out ==
        session.run({"some.yaml", "--print-config", "all"}).out);
  CHECK(session.run({"--print-config", "--set", "run.draws=8"}).out.find("# numbers; --set run.draws=8\n") !=
        std::string::npos);
  CHECK(session.run({"some.yaml", "--print-config", "some"}).err ==
        "toy: --print-config: unknown word (got 'some'); accepted: all, or none for the keys that are set\n");
}

TEST_CASE("all mistakes of a configuration are reported at once, in their order") {
  const Session session;
  session.write("bad.yaml", "run:\n  drawz: 5\n  draws: many\nrum:\n  a: [1, 2]\n  b: {c: 3}\nseed: -1\n");
  const Outcome outcome = session.run({"bad.yaml", "--set", "run.draws=13", "--set", "ran=2"});
  CHECK(outcome.status == 2);
  CHECK(
      outcome.err ==
      "toy: 5 mistakes\n"
      "  bad.yaml:2:3: run.drawz: unknown key, did you mean 'run.draws'? (got '5'); accepted: the keys that "
      "--list-keys shows\n"
      "  bad.yaml:3:10: run.draws: not an integer (got 'many'); accepted: an integer 1..100\n"
      "  bad.yaml:4:1: rum: unknown key, did you mean 'run'?; accepted: the keys that --list-keys shows\n"
      "  bad.yaml:7:7: seed: negative (got '-1'); accepted: an integer 0..18446744073709551615\n"
      "  --set ran=2: ran: unknown key, did you mean 'run'? (got '2'); accepted: the keys that --list-keys "
      "shows\n");
}

TEST_CASE("of many mistakes the first forty are reported, with the number of all") {
  const Session session;
  std::string text;
  for (unsigned i = 0; i < 50; ++i) text += "zzzzzzzz" + std::to_string(i) + ": 1\n";
  session.write("bad.yaml", text);
  const std::string told = session.run({"bad.yaml"}).err;
  CHECK(told.find("toy: 50 mistakes, the first 40\n  bad.yaml:1:1: zzzzzzzz0: unknown key") == 0);
  CHECK(std::count(told.begin(), told.end(), '\n') == 41);
}

TEST_CASE("quiet prints nothing, and a warning goes to the error output") {
  const Session session;
  const Outcome quiet = session.run({"--quiet"});
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
  CHECK(session.run({"--quiet", "--set", "run.fail=warn"}).err == "toy: warning: look at 7\n");
}

TEST_CASE("bad input ends with 2 and is reported") {
  const Session session;
  session.write("bad.yaml", "run:\n  drawz: 5\n");
  session.write("file", "");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"bad.yaml"},
       "toy: bad.yaml:2:3: run.drawz: unknown key, did you mean 'run.draws'? (got '5'); accepted: the keys "
       "that --list-keys "
       "shows\n"},
      {{"none.yaml"},
       "toy: cannot be read: No such file or directory (got 'none.yaml'); accepted: a YAML file\n"},
      {{"--seed", "-1"},
       "toy: --seed -1: seed: negative (got '-1'); accepted: an integer 0..18446744073709551615\n"},
      {{"--seed", "1", "--set", "seed=1"},
       "toy: --seed 1: seed: set twice, first at --set seed=1 (got '1'); accepted: one value\n"},
      {{"--set", "run.scale=2", "--scale", "3"},
       "toy: --scale 3: run.scale: set twice, first at --set run.scale=2 (got '3'); accepted: one value\n"},
      {{"--rtl", "cam=5"},
       TSUJI_VERILATED != 0
           ? "toy: --rtl: no RTL is linked into this executable; accepted: use the option "
             "with testbenches/network_bench, testbenches/cenju4_bench or an executable built by "
             "scripts/attach_rtl\n"
           : "toy: --rtl: no RTL is linked into this executable, and this build has no "
             "Verilator; accepted: use the option with testbenches/network_bench or "
             "testbenches/cenju4_bench of a build with Verilator or an executable built by "
             "scripts/attach_rtl\n"},
      {{"--set", "run.draws=13"},
       "toy: --set run.draws=13: run.draws: unlucky (got '13'); accepted: another number\n"},
      {{"--print-config", "--set", "run.draws=13"},
       "toy: --set run.draws=13: run.draws: unlucky (got '13'); accepted: another number\n"},
      {{"--trace", "all"},
       "toy: --trace: is called --waves|--records since 0.2; accepted: --waves|--records\n"},
      {{"--trace", "signals"}, "toy: --trace=signals: is called --waves since 0.2; accepted: --waves\n"},
      {{"--trace=packets"}, "toy: --trace=packets: is called --records since 0.2; accepted: --records\n"},
      {{"--trace-window", "1:2"}, "toy: --trace-window: is called --window since 0.2; accepted: --window\n"},
      {{"--trace-format=vcd"},
       "toy: --trace-format=vcd: is called --waves-format since 0.2; accepted: --waves-format\n"},
      {{"--waves-format", "lxt"},
       observe::writes_fst() ? "toy: --waves-format: unknown word (got 'lxt'); accepted: vcd, fst\n"
                             : "toy: --waves-format: unknown word (got 'lxt'); accepted: vcd\n"},
      {{"--window", "1:2"},
       "toy: --window: nothing is recorded (got '1:2'); accepted: --waves, --records or --log with it\n"},
      {{"--log", "node"}, "toy: --log: no such option; accepted: the options of --help\n"},
      {{"--waves", "--window", "2:1"},
       "toy: --window: ends before it begins (got '2:1'); accepted: FROM:TO in ns, FROM <= TO, e.g. "
       "100:250.5\n"},
      {{"--out", "file/x"},
       "toy: --out: cannot be written: Not a directory (got 'file/x'); accepted: a folder that exists or can "
       "be created, with write permission\n"},
      {{"--set", "run.fail=input"}, "toy: bad trace (got 'x'); accepted: a good one\n"},
  };
  for (const auto& [arguments, text] : cases) {
    INFO(text);
    const Outcome outcome = session.run(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.err == text);
    CHECK(outcome.out.empty());
  }
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--unknown"}, {"--seed"}, {"a.yaml", "b.yaml"}, {"--set"}}) {
    CHECK(session.run(arguments).status == 2);
  }
}

TEST_CASE("a model failure ends with 1 and removes an older result") {
  const Session session;
  REQUIRE(session.run({}).status == 0);
  REQUIRE(std::filesystem::exists("out/toy/result.json"));
  const Outcome outcome = session.run({"--set", "run.fail=model"});
  CHECK(outcome.status == 1);
  CHECK(outcome.err == "toy: model failure: switch3, cycle 17, packet 1.2: lost\n");
  CHECK(session.text("out/toy/failure.txt") == "switch3, cycle 17, packet 1.2: lost\n");
  CHECK_FALSE(std::filesystem::exists("out/toy/result.json"));
  CHECK(std::filesystem::exists("out/toy/resolved.yaml"));
}

TEST_CASE("a network that is too large for the memory is reported") {
  const Session session;
  const Outcome outcome = session.run({"--set", "run.fail=memory"});
  CHECK(outcome.status == 1);
  CHECK(outcome.err == "toy: model failure: this configuration needs more memory than the computer has\n");
}

TEST_CASE("a refused run changes no files") {
  const Session session;
  CHECK(session.run({"--set", "run.fail=input"}).status == 2);
  CHECK_FALSE(std::filesystem::exists("out/toy"));
  REQUIRE(session.run({}).status == 0);
  const std::string before = session.text("out/toy/result.json");
  CHECK(session.run({"--set", "run.fail=input"}).status == 2);
  CHECK(session.text("out/toy/result.json") == before);
  CHECK(std::distance(std::filesystem::directory_iterator("out"), std::filesystem::directory_iterator()) ==
        1);
}

TEST_CASE("a run that a signal ends is partial, and its status is the signal's") {
  for (const auto& [signal, status, name] :
       {std::tuple(SIGINT, 130, "SIGINT"), std::tuple(SIGTERM, 143, "SIGTERM")}) {
    const Session session;
    const Outcome outcome = session.run({"--set", "run.signal=" + std::to_string(signal)});
    CHECK(outcome.status == status);
    CHECK(outcome.out.find(std::string("PARTIAL: ended by ") + name) == 0);
    const auto json = session.result("out/toy");
    CHECK(json["status"] == "partial");
    CHECK(json["ended_by"] == name);
    CHECK(json["metrics"].count("sum") == 0);
    // The next run is not affected.
    CHECK(session.run({}).status == 0);
    CHECK(session.result("out/toy")["status"] == "complete");
  }
}

TEST_CASE("record windows are exact to the picosecond") {
  CHECK(parse_window("1:2").from == 1000);
  CHECK(parse_window("1:2").to == 2000);
  CHECK(parse_window("0.001:12.5").from == 1);
  CHECK(parse_window("0.001:12.5").to == 12500);
  CHECK(parse_window(":3").from == 0);
  CHECK(parse_window("3:").to == ~Picoseconds{0});
  CHECK(parse_window("4503599627370497.001:").from == 4503599627370497001U);
  for (const char* text : {"", ":", "1", "a:b", "1.:2", ".5:2", "1.0001:2", "-1:2", "1e3:", "1:2:3", "1 :2",
                           "99999999999999999999:"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_window(text), ConfigError);
  }
}
