// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/observe/latency_histogram.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/observe/progress_bar.h"
#include "tsuji/results/results.h"
#include "tsuji/results/text_table.h"

using namespace tsuji;
using namespace tsuji::observe;

namespace {

std::uint64_t nearest_rank(const std::vector<std::uint64_t>& sorted, unsigned per_mille) {
  return sorted[(sorted.size() * per_mille + 999) / 1000 - 1];
}

Results sample_results() {
  Results results("test", "1.0", 18446744073709551615U,
                  nlohmann::ordered_json::parse(R"({"z":1,"a":{"b":0.1}})"));
  results.metric("zeta", 18446744073709551615U, "cycles");
  results.metric("alpha", 1.0, "");
  results.metric("nothing", nullptr, "cycles");
  ResultTable& table = results.table("sizes", {{"bytes", "B"}, {"name", ""}});
  table.row({8, "eight"});
  results.table("empty", {{"x", "s"}});
  table.row({16U, nullptr});
  return results;
}

std::vector<std::string> problems_after(const std::string& patch) {
  return validate_result(sample_results().to_json().patch(nlohmann::ordered_json::parse(patch)));
}

}  // namespace

TEST_CASE("a metric and a table of results are found by name") {
  const Results results = sample_results();
  CHECK(results.value("alpha").number() == 1.0);
  CHECK(results.value("nothing").is_null());
  CHECK_THROWS_WITH(results.value("beta"), Catch::Contains("metric beta was not added"));
  REQUIRE(results.rows_of("sizes").rows().size() == 2);
  CHECK(results.rows_of("sizes").rows()[0][1].text() == "eight");
  CHECK_THROWS_WITH(results.rows_of("places"), Catch::Contains("table places was not added"));
  CHECK(nlohmann::ordered_json::parse(results.text()) == results.to_json());
  CHECK(Results("test", "1.0", 1).to_json()["config"] == nlohmann::ordered_json::object());
}

TEST_CASE("a histogram equals the sorted values") {
  std::mt19937_64 random(7);
  for (unsigned round = 0; round < 60; ++round) {
    LatencyHistogram histogram(round % 2 == 0 ? 4096 : 128);
    std::vector<std::uint64_t> values(1 + random() % 2000);
    std::uint64_t sum = 0;
    // Narrow and wide: from all values below the dense limit to values of all magnitudes.
    for (auto& value : values) {
      value = round < 20 ? random() % 4096 : (random() >> 8) >> (random() % 56);
      sum += value;
      histogram.record(value);
    }
    std::sort(values.begin(), values.end());
    REQUIRE(histogram.count() == values.size());
    REQUIRE(histogram.sum() == sum);
    REQUIRE(histogram.max() == values.back());
    REQUIRE(histogram.mean() == static_cast<double>(sum) / static_cast<double>(values.size()));
    for (const unsigned per_mille : {1U, 10U, 500U, 501U, 990U, 999U, 1000U}) {
      const std::uint64_t exact = nearest_rank(values, per_mille);
      const std::uint64_t got = histogram.percentile(per_mille);
      if (exact < (round % 2 == 0 ? 4096U : 128U)) {
        REQUIRE(got == exact);
      } else {
        REQUIRE(got >= exact);
        REQUIRE(static_cast<double>(got - exact) < static_cast<double>(exact) / 128.0);
      }
    }
  }
}

TEST_CASE("a histogram's buckets cover all values without gap or overlap") {
  LatencyHistogram histogram(128);
  std::vector<std::uint64_t> values = {0,   127, 128, 255,
                                       256, 257, 258, std::numeric_limits<std::uint64_t>::max()};
  for (unsigned bit = 9; bit < 64; ++bit) {
    for (const std::uint64_t near : {-1, 0, 1}) values.push_back((std::uint64_t{1} << bit) + near);
  }
  std::sort(values.begin(), values.end());
  for (const auto value : values) histogram.record(value);
  std::uint64_t next = 0;
  std::size_t seen = 0;
  for (const auto& bucket : histogram.buckets()) {
    REQUIRE(bucket.first >= next);
    REQUIRE(bucket.last >= bucket.first);
    for (std::uint64_t i = 0; i < bucket.count; ++i, ++seen) {
      REQUIRE(values[seen] >= bucket.first);
      REQUIRE(values[seen] <= bucket.last);
    }
    next = bucket.last + 1;
  }
  REQUIRE(seen == values.size());
  REQUIRE(histogram.percentile(1000) == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("coarse buckets have the exact counts of log-linear intervals") {
  std::mt19937_64 random(4);
  LatencyHistogram histogram;
  std::vector<std::uint64_t> values;
  for (unsigned i = 0; i < 3000; ++i) values.push_back(random() % 64 >> (random() % 3) << (random() % 40));
  for (const auto value : values) histogram.record(value);
  std::uint64_t all = 0, next = 0;
  for (const auto& bucket : histogram.coarse_buckets(4)) {
    const std::uint64_t width = bucket.last - bucket.first + 1;
    REQUIRE(bucket.first >= next);
    REQUIRE((width & (width - 1)) == 0);
    if (bucket.first < 32) {
      REQUIRE(width == 1);
    } else {
      REQUIRE(bucket.first / width >= 16);
      REQUIRE(bucket.first / width < 32);
      REQUIRE(bucket.first % width == 0);
    }
    const auto inside = std::count_if(values.begin(), values.end(), [&](std::uint64_t value) {
      return value >= bucket.first && value <= bucket.last;
    });
    REQUIRE(bucket.count == static_cast<std::uint64_t>(inside));
    all += bucket.count;
    next = bucket.last + 1;
  }
  CHECK(all == values.size());
}

TEST_CASE("merged histograms equal the histogram of all values") {
  std::mt19937_64 random(3);
  LatencyHistogram one, two, all;
  for (unsigned i = 0; i < 5000; ++i) {
    const std::uint64_t value = random() >> (random() % 64) >> 1;
    (i % 3 == 0 ? one : two).record(value / 5000);
    all.record(value / 5000);
  }
  one.merge(two);
  CHECK(one.count() == all.count());
  CHECK(one.sum() == all.sum());
  CHECK(one.max() == all.max());
  for (unsigned per_mille = 1; per_mille <= 1000; ++per_mille) {
    REQUIRE(one.percentile(per_mille) == all.percentile(per_mille));
  }
  LatencyHistogram coarse(128);
  CHECK_THROWS_AS(one.merge(coarse), ModelError);
  CHECK_THROWS_AS(LatencyHistogram(100), ModelError);
  CHECK_THROWS_AS(LatencyHistogram(64), ModelError);
  CHECK_THROWS_AS(coarse.percentile(500), ModelError);
  CHECK_THROWS_AS(coarse.mean(), ModelError);
  CHECK_THROWS_AS(all.percentile(0), ModelError);
  CHECK_THROWS_AS(all.percentile(1001), ModelError);
}

TEST_CASE("a histogram counts single values up to a power of two of at least 128") {
  for (std::uint64_t values : {0, 1, 64, 127, 129, 4097})
    CHECK_THROWS_AS(LatencyHistogram(values), ModelError);
  LatencyHistogram least(128);
  least.record(127);
  least.record(128);
  REQUIRE(least.buckets().size() == 2);
  CHECK(least.buckets()[0].first == 127);
  CHECK(least.buckets()[1].first == 128);
}

TEST_CASE("merged metrics are the sums of all counters") {
  const auto filled = [](std::uint64_t unit) {
    NetworkMetrics metrics;
    metrics.packets_sent = unit;
    metrics.flits_offered = 2 * unit;
    metrics.flit_hops = 3 * unit;
    metrics.flits_in_flight_at_end = 4 * unit;
    metrics.flits_accepted = 5 * unit;
    metrics.hops_sum = 6 * unit;
    metrics.packets_not_measured = 7 * unit;
    metrics.latency_cycles.record(unit);
    return metrics;
  };
  NetworkMetrics metrics = filled(10);
  metrics.merge(filled(1));
  CHECK(metrics.packets_sent == 11);
  CHECK(metrics.flits_offered == 22);
  CHECK(metrics.flit_hops == 33);
  CHECK(metrics.flits_in_flight_at_end == 44);
  CHECK(metrics.flits_accepted == 55);
  CHECK(metrics.hops_sum == 66);
  CHECK(metrics.packets_not_measured == 77);
  CHECK(metrics.packets_delivered() == 2 + 77);
  CHECK(metrics.latency_cycles.sum() == 11);
}

TEST_CASE("the shared metrics follow from the counters") {
  NetworkMetrics metrics, other;
  metrics.packets_sent = 3;
  metrics.flits_offered = 40;
  metrics.record_delivery(10, 10, 2);
  metrics.record_delivery(20, 10, 4);
  other.packets_sent = 1;
  other.flit_hops = 60;
  other.flits_in_flight_at_end = 10;
  other.record_delivery(60, 20, 3);
  metrics.merge(other);
  Results results("test", "1", 1, nlohmann::ordered_json::object());
  metrics.add_to(results, 4, 200, 100);
  const auto json = results.to_json();
  CHECK(
      json["metrics"].dump() ==
      R"({"simulated_cycles":{"value":200,"unit":"cycles"},"flit_hops":{"value":60,"unit":"flits"},)"
      R"("packets_sent":{"value":4,"unit":"packets"},"packets_delivered":{"value":3,"unit":"packets"},)"
      R"("flits_in_flight_at_end":{"value":10,"unit":"flits"},"hops_mean":{"value":3.0,"unit":"routers"},)"
      R"("latency_cycles_mean":{"value":30.0,"unit":"cycles"},"latency_cycles_p50":{"value":20,"unit":"cycles"},)"
      R"("latency_cycles_p95":{"value":60,"unit":"cycles"},"latency_cycles_p99":{"value":60,"unit":"cycles"},)"
      R"("latency_cycles_p999":{"value":60,"unit":"cycles"},"latency_cycles_max":{"value":60,"unit":"cycles"},)"
      R"("accepted_flits_per_node_cycle":{"value":0.1,"unit":"flits/node/cycle"},)"
      R"("offered_flits_per_node_cycle":{"value":0.1,"unit":"flits/node/cycle"}})");
  CHECK(validate_result(json).empty());
  CHECK_THROWS_AS(metrics.add_to(results, 4, 200, 100), ModelError);
  Results none("test", "1", 1, nlohmann::ordered_json::object());
  CHECK_THROWS_AS(NetworkMetrics().add_to(none, 0, 200, 100), ModelError);
  NetworkMetrics().add_to(none, 4, 0, 0);
  CHECK(none.to_json()["metrics"]["latency_cycles_p99"]["value"].is_null());
  CHECK(none.to_json()["metrics"]["offered_flits_per_node_cycle"]["value"].is_null());
}

TEST_CASE("percentiles have the values of their names") {
  LatencyHistogram histogram;
  for (std::uint64_t value = 1; value <= 2000; ++value) histogram.record(value);
  Results results("test", "1", 1, nlohmann::ordered_json::object());
  add_latency(results, "t", histogram, "ns");
  const auto metrics = results.to_json()["metrics"];
  for (const auto& [name, value] : {std::pair<const char*, unsigned>{"t_p50", 1000},
                                    {"t_p95", 1900},
                                    {"t_p99", 1980},
                                    {"t_p999", 1998},
                                    {"t_max", 2000}}) {
    CAPTURE(name);
    CHECK(metrics[name]["value"] == value);
    CHECK(metrics[name]["unit"] == "ns");
  }
}

TEST_CASE("the accepted flits are bounded by the capacity of the nodes' links") {
  NetworkMetrics metrics;
  metrics.flits_accepted = 400;
  Results full("test", "1", 1, nlohmann::ordered_json::object());
  metrics.add_to(full, 4, 500, 100);
  CHECK(full.to_json()["metrics"]["accepted_flits_per_node_cycle"]["value"] == 1.0);
  metrics.flits_accepted = 401;
  Results over("test", "1", 1, nlohmann::ordered_json::object());
  CHECK_THROWS_WITH(metrics.add_to(over, 4, 500, 100), Catch::Contains("401 flits") &&
                                                           Catch::Contains("100 cycles") &&
                                                           Catch::Contains("4 nodes"));
}

TEST_CASE("a lower bound is shown and written as such") {
  Results results("test", "1", 1, nlohmann::ordered_json::object());
  results.metric("mean", 870.8, "cycles");
  results.metric("nothing", nullptr, "cycles");
  results.metric("whole", 3, "cycles");
  for (const char* metric : {"mean", "whole", "nothing"}) results.show(metric, metric);
  CHECK(results.to_json()["tables"].empty());
  results.lower_bound("mean");
  results.lower_bound("nothing");
  const auto json = results.to_json();
  CHECK(validate_result(json).empty());
  CHECK(json["metrics"]["mean"].dump() == R"({"value":870.8,"unit":"cycles"})");
  CHECK(json["tables"]["lower_bounds"]["rows"].dump() == R"([["mean"]])");
  CHECK_THAT(results.summary("out"), Catch::Contains(">= 870.8") && !Catch::Contains(">= 3"));
  CHECK_THROWS_AS(results.lower_bound("other"), ModelError);
}

TEST_CASE("result documents keep order and integers, and are valid") {
  const auto json = sample_results().to_json();
  CHECK(
      json.dump() ==
      R"({"schema":"tsuji.result/1","platform":"test","version":"1.0","status":"complete","config":{"z":1,"a":{"b":0.1}},)"
      R"("seed":18446744073709551615,"metrics":{"zeta":{"value":18446744073709551615,"unit":"cycles"},)"
      R"("alpha":{"value":1.0,"unit":""},"nothing":{"value":null,"unit":"cycles"}},"tables":{"sizes":{"columns":)"
      R"([{"name":"bytes","unit":"B"},{"name":"name","unit":""}],"rows":[[8,"eight"],[16,null]]},)"
      R"("empty":{"columns":[{"name":"x","unit":"s"}],"rows":[]}}})");
  CHECK(validate_result(json).empty());
  CHECK(validate_result(nlohmann::ordered_json::parse(json.dump())).empty());

  Results results = sample_results();
  CHECK_THROWS_AS(results.metric("zeta", 1, ""), ModelError);
  CHECK_THROWS_AS(results.metric("nan", std::numeric_limits<double>::quiet_NaN(), ""), ModelError);
  CHECK_THROWS_AS(results.table("sizes", {{"x", ""}}), ModelError);
  ResultTable& table = results.table("more", {{"x", ""}});
  CHECK_THROWS_AS(table.row({1, 2}), ModelError);
  CHECK_THROWS_AS(table.row({std::numeric_limits<double>::infinity()}), ModelError);
  CHECK_THROWS_AS(results.write("no/such/folder/result.json"), ModelError);
}

TEST_CASE("documents that do not follow the schema are refused with the reason") {
  using Lines = std::vector<std::string>;
  CHECK(validate_result(nlohmann::ordered_json::array()) == Lines{"/: not an object"});
  CHECK(problems_after(R"([{"op":"remove","path":"/seed"},{"op":"add","path":"/sed","value":1}])") ==
        Lines{"/: 'seed' is missing", "/: unknown member 'sed'"});
  CHECK(problems_after(R"([{"op":"replace","path":"/schema","value":"tsuji.result/2"}])") ==
        Lines{R"(/schema: "tsuji.result/2" is not "tsuji.result/1")"});
  CHECK(problems_after(
            R"([{"op":"replace","path":"/platform","value":""},{"op":"replace","path":"/version","value":1},)"
            R"({"op":"replace","path":"/config","value":[]},{"op":"replace","path":"/seed","value":-1}])") ==
        Lines{"/platform: empty", "/version: not a text", "/config: not an object",
              "/seed: not an unsigned integer"});
  CHECK(problems_after(R"([{"op":"replace","path":"/metrics/zeta","value":3},)"
                       R"({"op":"replace","path":"/metrics/alpha","value":{"value":true,"unit":1}},)"
                       R"({"op":"remove","path":"/metrics/nothing/unit"}])") ==
        Lines{"/metrics/zeta: not an object", "/metrics/alpha/value: neither a number, a text nor null",
              "/metrics/alpha/unit: not a text", "/metrics/nothing: 'unit' is missing"});
  CHECK(problems_after(R"([{"op":"replace","path":"/tables/sizes/rows/0","value":[1]},)"
                       R"({"op":"replace","path":"/tables/sizes/rows/1/1","value":{}},)"
                       R"({"op":"replace","path":"/tables/empty/columns","value":[]}])") ==
        Lines{"/tables/sizes/rows/0: not a list of 2 cells",
              "/tables/sizes/rows/1/1: neither a number, a text nor null",
              "/tables/empty/columns: not a list of columns"});
  CHECK(
      problems_after(
          R"([{"op":"replace","path":"/metrics","value":[]},{"op":"replace","path":"/tables","value":1}])") ==
      Lines{"/metrics: not an object", "/tables: not an object"});
}

TEST_CASE("every packet has one fate, or the model has lost or doubled it") {
  PacketFates fates;
  fates.born = 10;
  fates.replicated = 5;
  fates.merged = 2;
  fates.delivered = 8;
  fates.dropped = {{"no_way", 3}, {"link_down", 0}};
  fates.under_way = 2;
  Results results = sample_results();
  fates.add_to(results, "network");
  CHECK(results.to_json()["tables"]["packet_fates"]["rows"].dump() ==
        R"([["born",10],["replicated",5],["merged",2],["delivered",8],["dropped: no_way",3],)"
        R"(["dropped: link_down",0],["under way",2]])");
  for (std::uint64_t* number : {&fates.born, &fates.replicated, &fates.merged, &fates.delivered,
                                &fates.dropped[1].second, &fates.under_way}) {
    ++*number;
    Results other = sample_results();
    CHECK_THROWS_AS(fates.add_to(other, "network"), ModelError);
    --*number;
  }
}

TEST_CASE("a result names its source's revision and whether its run was complete") {
  Results results = sample_results();
  CHECK_FALSE(results.to_json().contains("revision"));
  results.revision("v1-3-gabcdef-dirty");
  CHECK(results.to_json()["revision"] == "v1-3-gabcdef-dirty");
  CHECK(results.to_json()["status"] == "complete");
  CHECK_FALSE(results.to_json().contains("ended_by"));
  results.ended_by("SIGTERM");
  CHECK(results.to_json()["status"] == "partial");
  CHECK(results.to_json()["ended_by"] == "SIGTERM");
  CHECK(validate_result(results.to_json()).empty());
  using Lines = std::vector<std::string>;
  CHECK(problems_after(R"([{"op":"remove","path":"/status"}])").empty());  // as in documents without a status
  CHECK(problems_after(R"([{"op":"replace","path":"/status","value":"done"}])") ==
        Lines{R"(/status: "done" is neither "complete" nor "partial")"});
  CHECK(problems_after(R"([{"op":"replace","path":"/status","value":"partial"}])") ==
        Lines{"/ended_by: must be present in partial results and absent from complete ones"});
  CHECK(
      problems_after(
          R"([{"op":"add","path":"/ended_by","value":"SIGINT"},{"op":"add","path":"/revision","value":""}])") ==
      Lines{"/revision: empty",
            "/ended_by: must be present in partial results and absent from complete ones"});
}

TEST_CASE("the terminal's table is aligned and has the paper's value beside the measured one") {
  Results results("test", "1", 1, nlohmann::ordered_json::object());
  results.metric("late", 3, "ns");
  results.metric("rate", 178.25, "MB/s", "remote DMA");
  results.metric("single", 125, "ns", "single cast", "125");
  results.metric("hidden", 1, "");
  results.headline("a machine");
  results.show("late", "late one", "124");
  results.file("result.json", "results");
  CHECK(results.summary("out") ==
        "a machine\n\n"
        "             value  unit  paper\n"
        "remote DMA   178.2  MB/s\n"
        "single cast    125  ns      125\n"
        "late one         3  ns      124\n"
        "\n"
        "         file\n"
        "results  out/result.json\n");
  results.show("none", "none");
  CHECK_THROWS_AS(results.summary("out"), ModelError);
  // A run that a signal has ended may lack the shown values.
  results.ended_by("SIGINT");
  CHECK(results.summary("out").find(
            "PARTIAL: ended by SIGINT; these are the results up to then\na machine\n") == 0);
  CHECK(value_text(nullptr) == "-");
  CHECK(value_text(123456.7) == "123457");
  CHECK(value_text(0.000012345) == "1.234e-05");
  CHECK(value_text(18446744073709551615U) == "18446744073709551615");
}

TEST_CASE("rows of a table are shown with their units below the headings, all columns or the selected ones") {
  Results results("test", "1.0", 1, nlohmann::ordered_json::object());
  results.metric("runs", 3, "runs");
  ResultTable& table = results.table("sweep", {{"load", "flits/cycle"}, {"word", ""}, {"latency", "cycles"}});
  for (const double load : {0.25, 0.5, 0.75}) table.row({load, "free", 100 * load});
  results.show_rows("sweep", 2, "all of it");
  results.show_rows("sweep", 3, "latency over load", {"load", "latency"});
  const std::string shown = results.summary("out");
  CHECK(shown.find("all of it\n"
                   "       load  word  latency\n"
                   "flits/cycle         cycles\n"
                   "       0.25  free       25\n"
                   "        0.5  free       50\n\n") != std::string::npos);
  CHECK(shown.find("latency over load\n"
                   "       load  latency\n"
                   "flits/cycle   cycles\n"
                   "       0.25       25\n"
                   "        0.5       50\n"
                   "       0.75       75\n") != std::string::npos);
}

TEST_CASE("progress shows the share and the remaining time, and nothing unless requested") {
  CHECK(progress_text(0.0, 5.0) == "[>                                       ]   0 %");
  CHECK(progress_text(0.25, 30.0) == "[==========>                             ]  25 %, 01:30 left");
  CHECK(progress_text(1.0, 30.0) == "[========================================] 100 %, 00:00 left");
  std::ostringstream silent, loud;
  ProgressBar quiet(silent, false), bar(loud, true);
  quiet.update(0.5);
  quiet.finish();
  CHECK(silent.str().empty());
  bar.update(0.5);
  CHECK(loud.str().find("50 %") != std::string::npos);
  const std::string once = loud.str();
  bar.update(0.6);  // within a fifth of a second
  CHECK(loud.str() == once);
  bar.finish();
  CHECK(loud.str() == once + "\r\x1b[K");
  bar.update(0.7);
  bar.finish();
  CHECK(loud.str() == once + "\r\x1b[K");
}

TEST_CASE("each part of the work has a bar with its name and its own time") {
  std::ostringstream out;
  ProgressBar bar(out, true);
  bar.begin("building");
  bar.update(0.5);
  // Within the minimum time between two drawings of a bar.
  bar.update(0.75);
  bar.begin("");
  bar.update(0.25);
  const std::string told = out.str();
  CHECK(told.find("\rbuilding [====================>                   ]  50 %, 00:00 left") == 0);
  CHECK(told.find("75 %") == std::string::npos);
  CHECK(told.find("\r[==========>                             ]  25 %, 00:00 left") != std::string::npos);
}

TEST_CASE("progress is within its line for any share, and shows no time of many days") {
  const std::string full(40, '=');
  CHECK(progress_text(1.5, 30.0) == "[" + full + "] 100 %, 00:00 left");
  CHECK(progress_text(-0.5, 30.0) == progress_text(0.0, 30.0));
  CHECK(progress_text(0.999, 999.0) == "[" + std::string(39, '=') + ">]  99 %, 00:01 left");
  CHECK(progress_text(0.5, 359999.0).substr(48) == ", 5999:59 left");
  CHECK(progress_text(0.5, 360000.0).size() == 48);
  CHECK(progress_text(0.5, 61.4).substr(48) == ", 01:01 left");
  CHECK(progress_text(0.5, 61.6).substr(48) == ", 01:02 left");
}

TEST_CASE("displayed numbers: four digits, or all of their integer part") {
  CHECK(value_text(999.94) == "999.9");
  CHECK(value_text(1000.4) == "1000");
  CHECK(value_text(-1234.5678) == "-1235");
  CHECK(value_text(999999999999999.0) == "999999999999999");
  CHECK(value_text(1e15) == "1e+15");
  CHECK(value_text(0.0) == "0");
  CHECK(value_text(7) == "7");
  CHECK(value_text("word") == "word");
}

TEST_CASE("columns: numbers right-aligned, words left-aligned, no empty columns, letters outside ASCII") {
  TextTable table({"a", "number", "unit", "empty", "mixed"});
  table.row({"one", "5", "\xc2\xb5s", "", "7"});
  table.row({"three", "-", "ns", "", "x"});
  table.row({"", "1.5e+03", "", "", ""});
  CHECK(table.text() ==
        "a       number  unit  mixed\n"
        "one          5  \xc2\xb5s    7\n"
        "three        -  ns    x\n"
        "       1.5e+03\n");
  CHECK_THROWS_AS(table.row({"one", "two"}), ModelError);
  CHECK(TextTable({"a", "b"}).text() == "\n");
  TextTable units({"load", "n"}, {"flits/cycle", ""});
  units.row({"0.25", "3"});
  CHECK(units.text() == "       load  n\nflits/cycle\n       0.25  3\n");
}

TEST_CASE("shown rows: none of an empty table, and a missing table is an error unless partial") {
  const auto shown = [](std::size_t rows, const std::string& name, bool partial) {
    Results results("test", "1.0", 1, nlohmann::ordered_json::object());
    results.metric("runs", 3, "runs");
    results.table("empty", {{"x", ""}});
    results.table("one", {{"x", ""}}).row({"word"});
    results.show_rows(name, rows, "TITLE");
    if (partial) results.ended_by("SIGINT");
    return results.summary("out").find("TITLE") != std::string::npos;
  };
  CHECK(shown(1, "one", false));
  CHECK(shown(1, "one", true));
  CHECK_FALSE(shown(0, "one", false));
  CHECK_FALSE(shown(9, "empty", false));
  CHECK_FALSE(shown(1, "none", true));
  CHECK_THROWS_WITH(shown(1, "none", false), Catch::Contains("there is no table none to show"));
}

TEST_CASE("fates list routers' packets where there are any, and all numbers when they do not add up") {
  PacketFates fates;
  fates.born = 10;
  fates.born_at_routers = 4;
  fates.delivered = 9;
  fates.ended_at_routers = 2;
  fates.dropped = {{"no_way", 1}, {"link_down", 1}};
  fates.under_way = 1;
  Results results = sample_results();
  fates.add_to(results, "network");
  CHECK(results.to_json()["tables"]["packet_fates"]["rows"].dump() ==
        R"([["born",10],["born at routers",4],["delivered",9],["ended at routers",2],["dropped: no_way",1],)"
        R"(["dropped: link_down",1],["under way",1]])");
  fates.ended_at_routers = 3;
  Results other = sample_results();
  CHECK_THROWS_WITH(
      fates.add_to(other, "some network"),
      "some network: 14 packets were born, 0 replicated and 0 merged; 12 were delivered, 2 dropped, "
      "and 1 are under way");
}

TEST_CASE("a warning is a line below the headline, and an entry of a list that exists only then") {
  Results results("test", "1", 1, nlohmann::ordered_json::object());
  results.metric("rate", 1, "");
  results.headline("a machine");
  CHECK_FALSE(results.to_json().contains("warnings"));
  results.warn("nothing is measured");
  results.warn("nothing is recorded");
  CHECK(results.summary("out").find("a machine\n\nwarning: nothing is measured\nwarning: nothing is "
                                    "recorded\n\n      value\nrate      1\n") == 0);
  CHECK(results.to_json()["warnings"].dump() == R"(["nothing is measured","nothing is recorded"])");
  CHECK(validate_result(results.to_json()).empty());
  using Lines = std::vector<std::string>;
  CHECK(problems_after(R"([{"op":"add","path":"/warnings","value":["a"]}])").empty());
  CHECK(problems_after(R"([{"op":"add","path":"/warnings","value":[]}])") ==
        Lines{"/warnings: not a list of sentences"});
  CHECK(problems_after(R"([{"op":"add","path":"/warnings","value":"a"}])") ==
        Lines{"/warnings: not a list of sentences"});
  CHECK(problems_after(R"([{"op":"add","path":"/warnings","value":["a",3,""]}])") ==
        Lines{"/warnings/1: not a text", "/warnings/2: empty"});
}
