// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/load_sweep.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/outcome.h"
#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::platform;
using tsuji::test::Outcome;
using tsuji::test::TemporaryFolder;

namespace {

/// A platform whose runs are those of tests/platforms/fake_network.py.
Outcome sweep(const std::string& fake, const std::string& loads, const std::string& out_dir,
              std::vector<std::string> more = {}, Cycle length = 1000,
              const std::vector<observe::ResultTable::Column>& columns = {}) {
  std::string text = fake;
  double load = 0.1;
  Cycle cycles = 1000;
  Platform platform;
  platform.name = "fake";
  platform.description = "a network that is none";
  platform.add_keys = [&](config::KeyTable& keys) {
    keys.add("fake", text, "what the fake does");
    keys.add("traffic.load_flits_per_node_cycle", load, {0.0, 1.0}, "", "load");
    keys.add("measure.cycles", cycles, {1, 1'000'000}, "cycles", "length");
  };
  platform.run = [](const RunOptions&, observe::Results& results) { results.metric("plain_run", 1, ""); };
  LoadSweepConfig config;
  config.executable = TSUJI_SOURCE_DIR "/tests/platforms/fake_network.py";
  config.length_cycles = [length] { return length; };
  config.check = [&](const RunOptions&) {
    if (text == "closed") throw ConfigError("fake", text, "no load", "a load");
  };
  config.columns = [columns] { return columns; };
  config.plot_script = TSUJI_SOURCE_DIR "/tests/platforms/no_plot.py";
  platform.options = sweep_options(config);
  std::vector<std::string> arguments = {"--set", "fake=" + fake};
  if (!out_dir.empty()) arguments.insert(arguments.end(), {"--out", out_dir});
  if (!loads.empty()) arguments.insert(arguments.end(), {"--sweep-load", loads});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return tsuji::test::call(platform, arguments);
}

nlohmann::ordered_json result(const TemporaryFolder& folder) {
  auto json = nlohmann::ordered_json::parse(folder.text("out/result.json"));
  CHECK(observe::validate_result(json).empty());
  REQUIRE(json["metrics"].erase("wall_seconds") == 1);
  return json;
}

double saturation(const TemporaryFolder& folder) {
  return result(folder)["metrics"]["saturation_flits_per_node_cycle"]["value"];
}

std::vector<std::string> loads_of_csv(const TemporaryFolder& folder) {
  std::istringstream lines(folder.text("out/sweep.csv"));
  std::vector<std::string> loads;
  std::string line;
  std::getline(lines, line);
  CHECK(line ==
        "load,run,measured_cycles,offered,accepted,latency_mean,latency_mean_confidence95,latency_confidence,"
        "latency_p50,latency_p95,latency_p99,latency_p999,hops_mean,packets_missing,latency_is_lower_bound,"
        "accepted_share_worst_source,worst_source,backlog_growth_over_noise,waiting_packets_over_noise,"
        "latency_growth_over_noise,latency_over_zero_load,capacity_bound,stability,saturated");
  while (std::getline(lines, line)) loads.push_back(line.substr(0, line.find(',')));
  return loads;
}

}  // namespace

TEST_CASE("a sweep runs every load, finds the saturation point and leaves table and CSV") {
  const TemporaryFolder folder;
  const Outcome outcome = sweep("0.3333 0", "0.1:0.6:6:saturation", folder.file("out"));
  REQUIRE(outcome.status == 0);
  // 0.3125, 0.31875 and 0.328125 fill the knee. 0.3 is stable and 0.4 is saturated; 0.35, 0.325, 0.3375,
  // 0.33125 and 0.334375 narrow the interval. 0.5 is the sweep's second saturated load, and 0.6 is not run.
  CHECK(loads_of_csv(folder) == std::vector<std::string>{"0.1", "0.2", "0.3", "0.3125", "0.31875", "0.325",
                                                         "0.328125", "0.33125", "0.334375", "0.3375", "0.35",
                                                         "0.4", "0.5"});
  CHECK_FALSE(folder.has("out/load_0.6"));
  CHECK(saturation(folder) == 0.33125);
  const auto json = result(folder);
  CHECK(json["metrics"]["saturated_flits_per_node_cycle"]["value"] == 0.334375);
  CHECK(json["tables"]["sweep"]["rows"].size() == 13);
  CHECK(json["tables"]["sweep"]["rows"][0][5] == Approx(20 + 1 / (1 - 0.1 / 0.3333)));
  const auto first = json["tables"]["sweep"]["rows"][0];
  const auto& columns = json["tables"]["sweep"]["columns"];
  const auto cell = [&](const char* name) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i]["name"] == name) return first[i];
    }
    FAIL("no column " << name);
    return first[0];
  };
  CHECK(cell("hops_mean").is_null());
  // Every column has a metric of the runs.
  CHECK(cell("latency_mean_confidence95") == 0.25);
  CHECK(cell("latency_confidence") == "independent");
  CHECK(cell("latency_p50") == 21);
  CHECK(cell("latency_p95") == 2 * 21);
  CHECK(cell("latency_p99") == 3 * 21);
  CHECK(cell("latency_p999") == 4 * 21);
  CHECK(cell("packets_missing") == 7);
  CHECK(cell("latency_is_lower_bound") == 1);
  CHECK(cell("run") == "load_0.1");
  CHECK(cell("measured_cycles") == 1000);
  CHECK(cell("accepted_share_worst_source") == 1);
  CHECK(cell("worst_source") == "3->5");
  CHECK(cell("backlog_growth_over_noise") == 1.25);
  CHECK(cell("waiting_packets_over_noise") == 0.125);
  CHECK(cell("latency_growth_over_noise") == 0.75);
  CHECK(cell("latency_over_zero_load") == 1.5);
  CHECK(cell("stability") == "stable");
  CHECK_THAT(
      folder.text("out/sweep.csv"),
      Catch::Contains(",0.25,independent,21,42,63,84,,7,1,1,3->5,1.25,0.125,0.75,1.5,0.6666,stable,0\n"));
  // 90 % of 0.3333 is the most that the worst source gets; the fullest link carries twice the load.
  CHECK(json["metrics"]["capacity_flits_per_node_cycle"]["value"] == Approx(0.9 * 0.3333).epsilon(0.01));
  CHECK(json["metrics"]["capacity_bound_flits_per_node_cycle"]["value"] == Approx(2 * 0.3333));
  CHECK(json["metrics"]["saturation_accepted_flits_per_node_cycle"]["value"] == Approx(0.3333 * 0.95));
  CHECK(json["metrics"]["sweep_runs"]["value"] == 13);
  CHECK(json["metrics"].count("plain_run") == 0);
  CHECK(folder.has("out/load_0.33125/result.json"));
  CHECK_FALSE(folder.has("out/load_0.1.log"));
  CHECK(outcome.out.find("sweep.csv") != std::string::npos);
  // The failure of the picture's program is reported with its message, and has no other effect.
  CHECK_THAT(outcome.err, Catch::Contains("no picture of the sweep: out of ink"));
}

TEST_CASE("a sweep has columns of a platform's further metrics, empty where a run has none") {
  const TemporaryFolder folder;
  const Outcome outcome = sweep("0.9 0", "0.1:0.2:2", folder.file("out"), {}, 1000,
                                {{"latency_cycles_max", "cycles"}, {"of_nobody", "flits"}});
  REQUIRE(outcome.status == 0);
  CHECK_THAT(folder.text("out/sweep.csv"),
             Catch::Contains(",stability,saturated,latency_cycles_max,of_nobody\n") &&
                 Catch::EndsWith(",stable,0,9999,\n"));
  const auto table = result(folder)["tables"]["sweep"];
  const auto &columns = table["columns"], &cells = table["rows"][1];
  REQUIRE(cells.size() == columns.size());
  CHECK(columns[columns.size() - 2] ==
        nlohmann::ordered_json{{"name", "latency_cycles_max"}, {"unit", "cycles"}});
  CHECK(cells[cells.size() - 2] == 9999);
  CHECK(cells[cells.size() - 1].is_null());
}

TEST_CASE("a sweep into kept runs reuses existing loads, and others reuse its loads") {
  const TemporaryFolder folder;
  const std::vector<std::string> kept = {"--runs", folder.file("runs")};
  const auto folders = [&] {
    std::map<std::string, std::filesystem::file_time_type> times;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file("runs")))
      if (std::filesystem::exists(entry.path() / "result.json"))
        times[entry.path().filename()] = std::filesystem::last_write_time(entry.path() / "result.json");
    return times;
  };
  REQUIRE(sweep("0.3333 0", "0.1:0.3:3", "", kept).status == 0);
  const auto before = folders();
  REQUIRE(before.size() == 4);  // three loads and the sweep
  REQUIRE(sweep("0.3333 0", "0.1:0.3:5", "", kept).status == 0);
  const auto after = folders();
  CHECK(after.size() == 7);
  for (const auto& [name, time] : before) CHECK(after.at(name) == time);
  REQUIRE(sweep("0.25 0", "0.1:0.3:3", "", kept).status == 0);
  CHECK(folders().size() == 11);
  // A sweep lists its loads by their usual names.
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("runs")))
    if (std::filesystem::exists(entry.path() / "sweep.csv"))
      CHECK(std::filesystem::exists(entry.path() / "load_0.2" / "result.json"));
  // A run of a single load has its name.
  REQUIRE(sweep("0.3333 0", "", "",
                {"--runs", folder.file("runs"), "--set", "traffic.load_flits_per_node_cycle=0.15"})
              .out.find("has run before") == 0);
}

TEST_CASE("a sweep runs only its listed loads unless the saturation point is requested") {
  const TemporaryFolder folder;
  REQUIRE(sweep("0.3333 0", "0.1:0.7:7", folder.file("out")).status == 0);
  CHECK(loads_of_csv(folder) == std::vector<std::string>{"0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK_FALSE(folder.has("out/load_0.6"));
  const auto metrics = result(folder)["metrics"];
  CHECK(metrics["saturation_flits_per_node_cycle"]["value"].is_null());
  CHECK(metrics["saturation_accepted_flits_per_node_cycle"]["value"].is_null());
  CHECK(metrics["sweep_runs"]["value"] == 5);
}

TEST_CASE("a sweep gives equal bytes for any number of parallel runs") {
  std::string csv, json;
  for (const char* processes : {"1", "4"}) {
    const TemporaryFolder folder;
    REQUIRE(sweep("0.21 0", "0.1:0.4:4:saturation", folder.file("out"), {"--quiet", "--jobs", processes})
                .status == 0);
    if (csv.empty()) {
      csv = folder.text("out/sweep.csv");
      json = result(folder).dump();
    }
    CHECK(folder.text("out/sweep.csv") == csv);
    CHECK(result(folder).dump() == json);
  }
}

TEST_CASE("a sweep prolongs undecided runs") {
  const TemporaryFolder folder;
  // At 1,000 cycles all loads within 0.02 of the saturation are undecided, at 16,000 all within 0.00125.
  REQUIRE(sweep("0.3333 0 fuzzy=0.02", "0.1:0.5:5:saturation", folder.file("out")).status == 0);
  const auto json = result(folder);
  const double stable = json["metrics"]["saturation_flits_per_node_cycle"]["value"];
  const double saturated = json["metrics"]["saturated_flits_per_node_cycle"]["value"];
  CHECK(stable <= 0.3333 - 0.00125);
  CHECK(stable > 0.3333 - 0.00125 - 0.0034);
  CHECK(saturated >= 0.3333 + 0.00125);
  CHECK(saturated < 0.3333 + 0.00125 + 0.0034);
  bool longer = false;
  for (const auto& row : json["tables"]["sweep"]["rows"]) {
    const std::string name = row[1];
    CHECK(folder.has("out/" + name + "/result.json"));
    const bool is_longer = name.find("_x") != std::string::npos;
    CHECK(is_longer == (row[2] != 1000));
    longer = longer || is_longer;
  }
  CHECK(longer);
  // If no run can be prolonged, the undecided loads stay undecided.
  const TemporaryFolder fixed;
  REQUIRE(sweep("0.3333 0 fuzzy=0.02", "0.1:0.5:5:saturation", fixed.file("out"), {}, 0).status == 0);
  CHECK(saturation(fixed) <= 0.3333 - 0.02);
  CHECK(saturation(fixed) > 0.3333 - 0.02 - 0.0034);
}

TEST_CASE("a sweep fills its knee where neighbouring latencies differ by half") {
  const TemporaryFolder folder;
  // 20 + 1 / (1 - load / 0.5): 21.25 at 0.1, up to 120 cycles.
  REQUIRE(sweep("0.5 0", "0.1:0.5:2:saturation", folder.file("out")).status == 0);
  std::vector<double> latencies;
  const auto rows = result(folder)["tables"]["sweep"]["rows"];
  for (const auto& row : rows)
    if (row[0] <= saturation(folder)) latencies.push_back(row[5]);
  REQUIRE(latencies.size() > 3);
  unsigned steep = 0;
  for (std::size_t i = 1; i < latencies.size(); ++i) steep += latencies[i] > 1.5 * latencies[i - 1];
  CHECK(steep <= 1);
}

TEST_CASE("one more run at a share of the saturation") {
  const TemporaryFolder folder;
  const Outcome outcome =
      sweep("0.4 0", "0.1:0.6:6:saturation", folder.file("out"), {"--at", "0.8", "--jobs", "2"});
  REQUIRE(outcome.status == 0);
  const auto json = result(folder);
  const double at = json["metrics"]["at_flits_per_node_cycle"]["value"];
  CHECK(at == Approx(0.8 * saturation(folder)).margin(1e-6));
  const double latency = std::round(20 + 1 / (1 - at / 0.4));
  CHECK(json["metrics"]["at_latency_cycles_p99"]["value"] == 3 * latency);
  CHECK(json["metrics"]["at_latency_cycles_max"]["value"] == 9999);
  CHECK(json["tables"]["at_links"]["rows"][0][1] == std::round(1000 * at));
  CHECK_THAT(outcome.out, Catch::Contains("busiest links there"));
  std::string fake = "0.4 0";
  const auto refused = [&](std::vector<std::string> more, const char* loads, const char* words) {
    const Outcome wrong = sweep(fake, loads, folder.file("out2"), std::move(more));
    CHECK(wrong.status == 2);
    CHECK_THAT(wrong.err, Catch::Contains(words));
  };
  refused({"--at", "0.8"}, "0.1:0.5:5", "searches for the saturation point");
  refused({"--at", "0.8"}, "", "with --sweep-load");
  refused({"--jobs", "2"}, "", "with --sweep-load");
  for (const char* share : {"0", "1.1", "nan", "0.8x", "-0.5"})
    refused({"--at", share}, "0.1:0.5:5:saturation", "up to 1");
  for (const char* jobs : {"0", "2000", "2.5", "-1"}) refused({"--jobs", jobs}, "0.1:0.5:5", "1..1024");
  fake = "0.0000001 0";
  refused({"--at", "0.5"}, "0.1:0.5:5:saturation", "no load of the sweep is shown stable");
}

TEST_CASE("the saturation point is below, above, or outside the swept loads") {
  const auto found = [](const char* fake, const char* loads) {
    const TemporaryFolder folder;
    REQUIRE(sweep(fake, loads, folder.file("out")).status == 0);
    return saturation(folder);
  };
  CHECK(found("0.062 0", "0.2:0.5:2:saturation") == Approx(0.062).epsilon(0.01));
  CHECK(found("0.062 0", "0.2:0.5:2:saturation") <= 0.062);
  CHECK(found("0.77 0", "0.2:0.5:2:saturation") == Approx(0.77).epsilon(0.01));
  CHECK(found("1.5 0", "0.2:0.5:2:saturation") == 1.0);
}

TEST_CASE("a load whose run fails or is refused stops the sweep with the run's message") {
  const TemporaryFolder folder;
  const Outcome failed = sweep("0.3 0 fail=0.2", "0.1:0.5:5", folder.file("out"));
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Catch::Contains("load 0.2 ended with exit status 1: fake: model failure: flit lost "
                                         "in router 3"));
  CHECK_FALSE(folder.has("out/result.json"));
  const Outcome refused = sweep("0.3 0 refuse=0.4", "0.1:0.5:5", folder.file("out"));
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("--sweep-load") && Catch::Contains("(got '0.4')") &&
                              Catch::Contains("fake: traffic.load: too much"));
  const Outcome warned = sweep("0.3 0 say=0.2", "0.1:0.5:5", folder.file("out"));
  CHECK(warned.status == 0);
  CHECK_THAT(warned.err, Catch::Contains("load 0.2: fake: warning: look here"));
  // A full disk is no failure of the model: the previous folder stays.
  const Outcome full = sweep("0.3 0 full=0.2", "0.1:0.5:5", folder.file("out"));
  CHECK(full.status == 1);
  CHECK_THAT(full.err, Catch::Contains("load 0.2 cannot be written") && !Catch::Contains("model failure"));
  CHECK(folder.has("out/result.json"));
  CHECK_THAT(folder.text("out/resolved.yaml"), Catch::Contains("say=0.2"));
}

TEST_CASE("a sweep that fails terminates its other runs") {
  const TemporaryFolder folder;
  // The others sleep for ten minutes first; a terminated one writes nothing.
  REQUIRE(sweep("0.3 600 fail=0.2", "0.1:0.5:5", folder.file("out"), {"--jobs", "5"}).status == 1);
  CHECK_FALSE(folder.has("out/load_0.1/result.json"));
}

TEST_CASE("invalid sweeps are refused") {
  CHECK(parse_sweep("0.1:0.3:3").loads == std::vector<double>{0.1, 0.2, 0.3});
  CHECK_FALSE(parse_sweep("0.1:0.3:3").saturation);
  CHECK(parse_sweep("0.1:0.3:3:saturation").loads == std::vector<double>{0.1, 0.2, 0.3});
  CHECK(parse_sweep("0.1:0.3:3:saturation").saturation);
  CHECK(parse_sweep("0.05:1:20").loads.back() == 1.0);
  CHECK(parse_sweep("0.05:1:20").loads[2] == 0.15);
  CHECK(parse_sweep("0.5:2:4", 2.0).loads == std::vector<double>{0.5, 1.0, 1.5, 2.0});
  CHECK_THROWS_AS(parse_sweep("0.5:2.1:4", 2.0), ConfigError);
  for (const char* text : {"",
                           "0.1",
                           "0.1:0.3",
                           "0.1:0.3:3:4",
                           "a:0.3:3",
                           "0:0.3:3",
                           "0.3:0.1:3",
                           "0.1:1.1:3",
                           "0.1:0.3:1",
                           "0.1:0.3:1001",
                           "0.1:0.3:2.5",
                           "nan:0.3:3",
                           "0.1:inf:3",
                           "-0.1:0.3:3",
                           "0.1:0.100001:3",
                           ":saturation",
                           "0.1:0.3:saturation",
                           "0.1:0.3:3:saturate",
                           "0.1:0.3:3:saturation:",
                           "0.1:0.3:3:saturation:saturation"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_sweep(text), ConfigError);
  }
  const TemporaryFolder folder;
  const Outcome outcome = sweep("0.3 0", "0.3:0.1:3", folder.file("out"));
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains("--sweep-load") && Catch::Contains("0.05:0.5:10"));
  CHECK_FALSE(folder.has("out/load_0.1"));
  const Outcome recorded = sweep("0.3 0", "0.1:0.3:3", folder.file("out"), {"--waves"});
  CHECK(recorded.status == 2);
  CHECK_THAT(recorded.err, Catch::Contains("--waves"));
  const Outcome without = sweep("closed", "0.1:0.3:3", folder.file("out"));
  CHECK(without.status == 2);
  CHECK_THAT(without.err, Catch::Contains("fake: no load (got 'closed')"));
}

TEST_CASE("without the option a run is a single run") {
  const TemporaryFolder folder;
  REQUIRE(sweep("0.3 0", "", folder.file("out")).status == 0);
  CHECK(result(folder)["metrics"]["plain_run"]["value"] == 1);
  CHECK_FALSE(folder.has("out/sweep.csv"));
}

TEST_CASE("a platform's further options print and stop, and exclude each other") {
  const TemporaryFolder folder;
  Platform platform;
  platform.name = "own";
  platform.add_keys = [](config::KeyTable&) {};
  platform.run = [](const RunOptions&, observe::Results&) {};
  PlatformOption shape, check;
  shape.name = "--print-shape";
  shape.value_name = "dot|json";
  shape.meaning = "prints the shape";
  shape.print = [](const std::string& value, const RunOptions& options, std::ostream& out) {
    out << "shape as " << value << " of seed " << options.seed << '\n';
    return 0;
  };
  check.name = "--check";
  check.meaning = "checks";
  check.print = [](const std::string&, const RunOptions&, std::ostream&) { return 1; };
  platform.options = {shape, check};
  const auto run = [&](const std::vector<std::string>& words) { return tsuji::test::call(platform, words); };
  const std::string out_dir = folder.file("out");
  const Outcome printed = run({"--print-shape", "dot", "--seed", "4", "--out", out_dir});
  CHECK(printed.status == 0);
  CHECK(printed.out == "shape as dot of seed 4\n");
  CHECK_FALSE(folder.has("out"));
  CHECK(run({"--check"}).status == 1);
  const Outcome both = run({"--check", "--print-shape", "dot"});
  CHECK(both.status == 2);
  CHECK_THAT(both.err, Catch::Contains("does not go together"));
  CHECK(run({"--print-shape"}).status == 2);
  const Outcome help = run({"--help"});
  CHECK_THAT(help.out, Catch::Contains("--print-shape dot|json") && Catch::Contains("prints the shape"));
}
