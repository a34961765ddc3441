// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/quantity.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/config/key_table.h"

using namespace tsuji;
using namespace tsuji::config;
using tsuji::test::text_of;

namespace {

double converted(const std::string& text, const std::string& unit, double cycle_ps = 500) {
  const auto quantity = read_quantity(text);
  REQUIRE(quantity);
  const auto value = in_unit(*quantity, unit, cycle_ps);
  REQUIRE(value);
  return *value;
}

bool fits(const std::string& text, const std::string& unit, double cycle_ps = 500) {
  const auto quantity = read_quantity(text);
  REQUIRE(quantity);
  return in_unit(*quantity, unit, cycle_ps).has_value();
}

/// Keys in several units.
struct Keys {
  Keys() {
    table.add("clock_period_ps", clock_period_ps, {100, 10'000}, "ps", "clock");
    table.add("link.latency_cycles", latency_cycles, {1, 1000}, "cycles", "link");
    table.add("link.bytes", bytes, {0, 1U << 30}, "bytes", "buffer");
    table.add("link.wait_ns", wait_ns, {0, 1e6}, "ns", "wait");
    table.add("link.late_cycles", late_cycles, {0, 5000}, "auto", "cycles", "later");
    table.add("link.ways", ways, {1, 8}, "", "no unit");
  }
  void set(const std::string& key, const std::string& text, const char* place = "x.yaml:1:1") {
    table.set(key, InputValue::of(InputValue::Kind::unquoted, text, place), KeyTable::from_file);
  }

  std::uint64_t clock_period_ps = 1000, latency_cycles = 1, bytes = 0;
  std::optional<std::uint64_t> late_cycles;
  unsigned ways = 1;
  double wait_ns = 0;
  KeyTable table;
};

bool has(const std::string& text, const std::string& part) {
  INFO(text << " has not: " << part);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("quantities: a number, and a unit after it") {
  for (const char* text : {"50 ns", "50ns", "5e1 ns"}) {
    const auto quantity = read_quantity(text);
    REQUIRE(quantity);
    CHECK(quantity->number == 50);
    CHECK(quantity->unit == "ns");
    CHECK(quantity->text() == "50 ns");
  }
  for (const char* text : {"", "50", "ns", "ns 50", "50  ns", "0x10", "50 ns 3", "inf ns", "1.5e3", "5_ns"})
    CHECK_FALSE(read_quantity(text));
}

TEST_CASE("quantities: units of one measure convert into each other, times into cycles") {
  CHECK(converted("50 ns", "cycles") == 100);
  CHECK(converted("1.5 us", "cycles") == 3000);
  CHECK(converted("250 ps", "cycles") == 0.5);
  CHECK(converted("3 cycles", "cycles") == 3);
  CHECK(converted("2 ms", "us") == 2000);
  CHECK(converted("1 s", "ns") == 1e9);
  CHECK(converted("2 GHz", "ps") == 500);
  CHECK(converted("250 MHz", "ps") == 4000);
  CHECK(converted("4 KiB", "bytes") == 4096);
  CHECK(converted("4 kB", "bytes") == 4000);
  CHECK(converted("3 MB", "bytes") == 3e6);
  CHECK(converted("1 MiB", "bytes") == 1 << 20);
  CHECK(converted("2 GB", "bytes") == 2e9);
  CHECK(converted("2 TiB", "GiB") == 2048);
  CHECK(converted("7 B", "bytes") == 7);
  CHECK(converted("400 pJ", "nJ") == 0.4);
  CHECK(converted("1.5 W", "mW") == 1500);
  CHECK(converted("20 uW", "mW") == 0.02);
  CHECK(converted("9 flits", "flits") == 9);
}

TEST_CASE("quantities: units of different measures do not fit") {
  CHECK_FALSE(fits("50 ns", "bytes"));
  CHECK_FALSE(fits("50 bytes", "cycles"));
  CHECK_FALSE(fits("2 GHz", "cycles"));
  CHECK_FALSE(fits("2 GHz", "ns"));
  CHECK_FALSE(fits("50 ns", "flits"));
  CHECK_FALSE(fits("5 parsecs", "cycles"));
  CHECK_FALSE(fits("50 ns", "cycles", 0));
}

TEST_CASE("quantities: keys take them by the clock of the whole input, in any order") {
  Keys keys;
  keys.set("link.latency_cycles", "50 ns");
  keys.set("link.late_cycles", "1us");
  keys.set("clock_period_ps", "2 GHz");
  keys.set("link.bytes", "4 KiB");
  keys.set("link.wait_ns", "1.5 us");
  keys.table.settle_defaults();
  CHECK(keys.clock_period_ps == 500);
  CHECK(keys.latency_cycles == 100);
  CHECK(keys.late_cycles == 2000);
  CHECK(keys.bytes == 4096);
  CHECK(keys.wait_ns == 1500);
  const std::string text = keys.table.print("");
  CHECK(has(text, "latency_cycles: 100  # cycles; 50 ns"));
  CHECK(has(text, "clock_period_ps: 500  # ps; 2 GHz"));
  CHECK(has(keys.table.print_changed(""), "bytes: 4096  # bytes; 4 KiB; x.yaml:1:1"));
}

TEST_CASE("quantities: the last value of a key holds, with or without a unit") {
  Keys keys;
  keys.set("link.latency_cycles", "50 ns");
  keys.table.set_from_command_line("link.latency_cycles=7");
  keys.table.set_from_command_line("link.bytes=1 KiB");
  keys.table.settle_defaults();
  CHECK(keys.latency_cycles == 7);
  CHECK(keys.bytes == 1024);
  CHECK(keys.table.print("").find("50 ns") == std::string::npos);
}

TEST_CASE("quantities: whole numbers are rounded by at most 5 %") {
  for (const auto& [text, cycles] : {std::pair{"20.9 ns", 21U}, {"21 ns", 21U}, {"1.04 ns", 1U}}) {
    Keys keys;
    keys.set("link.latency_cycles", text);
    keys.table.settle_defaults();
    CHECK(keys.latency_cycles == cycles);
  }
  for (const char* text : {"1.06 ns", "9.48 ns", "0.4 ns"}) {
    Keys keys;
    keys.set("link.latency_cycles", text);
    const std::string refusal = text_of<ConfigError>([&] { keys.table.settle_defaults(); });
    CHECK(has(refusal, "x.yaml:1:1: link.latency_cycles"));
    CHECK(has(refusal, "more than 5 % from a whole number"));
    CHECK(has(refusal, text));
  }
  Keys keys;
  keys.set("link.wait_ns", "1.06 ns");
  keys.table.settle_defaults();
  CHECK(keys.wait_ns == 1.06);
}

TEST_CASE("quantities: what does not fit is refused at its place") {
  Keys keys;
  CHECK(has(text_of<ConfigError>([&] { keys.set("link.latency_cycles", "5 KiB", "y.yaml:3:4"); }),
            "y.yaml:3:4: link.latency_cycles: not in cycles, nor in ps, ns, us, ms, s (got '5 KiB')"));
  CHECK(
      has(text_of<ConfigError>([&] { keys.set("link.bytes", "5 parsecs"); }), "not in bytes, nor in B, kB"));
  CHECK(has(text_of<ConfigError>([&] { keys.set("clock_period_ps", "5 bytes"); }), "MHz, GHz"));
  CHECK(has(text_of<ConfigError>([&] { keys.set("link.ways", "5 ns"); }), "not an integer"));
  keys.set("link.latency_cycles", "5 us", "y.yaml:3:4");
  const std::string large = text_of<ConfigError>([&] { keys.table.settle_defaults(); });
  CHECK(has(large, "y.yaml:3:4: link.latency_cycles: 5000 cycles: out of range (got '5 us')"));
  CHECK(has(large, "1..1000"));
  for (const char* text : {"-5 ns", "-1e30 s", "1e30 s"}) {
    Keys far;
    far.set("link.latency_cycles", text);
    CHECK(has(text_of<ConfigError>([&] { far.table.settle_defaults(); }), "link.latency_cycles"));
  }
}

TEST_CASE("quantities: cycles need a clock") {
  std::uint64_t cycles = 1;
  KeyTable table;
  table.add("wait_cycles", cycles, {1, 1000}, "cycles", "wait");
  table.set_from_command_line("wait_cycles=5 ns");
  CHECK(has(text_of<ConfigError>([&] { table.settle_defaults(); }), "the configuration has no clock"));
}

TEST_CASE("quantities: the schema accepts them as text") {
  const Keys keys;
  const auto schema = keys.table.json_schema("keys")["properties"];
  const auto& latency = schema["link"]["properties"]["latency_cycles"];
  CHECK(latency["type"] == nlohmann::ordered_json::array({"integer", "string"}));
  CHECK(latency["pattern"] == "^[0-9.]+([eE][-+]?[0-9]+)? ?(cycles|ps|ns|us|ms|s)$");
  CHECK(schema["link"]["properties"]["late_cycles"]["anyOf"].size() == 3);
  CHECK(schema["link"]["properties"]["ways"]["type"] == "integer");
}

TEST_CASE("quantities: data rates of a node are flits in each cycle") {
  const auto quantity = read_quantity("200 Gb/s");
  REQUIRE(quantity);
  // 200 bits a nanosecond, in flits of 400 bits and cycles of 1 ns or 500 ps.
  CHECK(in_unit(*quantity, "flits/node/cycle", 1000, 400) == Approx(0.5));
  CHECK(in_unit(*quantity, "flits/node/cycle", 500, 400) == Approx(0.25));
  CHECK(in_unit(*read_quantity("25 GB/s"), "flits/node/cycle", 500, 400) == Approx(0.25));
  CHECK(in_unit(*read_quantity("0.2 Tb/s"), "flits/node/cycle", 500, 400) == Approx(0.25));
  CHECK(in_unit(*read_quantity("200000 Mb/s"), "flits/node/cycle", 500, 400) == Approx(0.25));
  CHECK(in_unit(*read_quantity("25000 MB/s"), "flits/node/cycle", 500, 400) == Approx(0.25));
  CHECK_FALSE(in_unit(*quantity, "flits/node/cycle", 0, 400));
  CHECK_FALSE(in_unit(*quantity, "flits/node/cycle", 500, 0));
  CHECK_FALSE(in_unit(*quantity, "flits/node/cycle", 500));
  CHECK_FALSE(in_unit(*read_quantity("5 ns"), "flits/node/cycle", 500, 400));
  CHECK_FALSE(in_unit(*quantity, "cycles", 500, 400));
  Keys keys;
  double load = 0;
  unsigned flit_bits = 128;
  keys.table.add("traffic.load", load, {0, 1}, "flits/node/cycle", "load");
  keys.set("traffic.load", "64 Gb/s");
  const std::string refused = text_of<ConfigError>([&] { keys.table.settle_defaults(); });
  has(refused, "x.yaml:1:1");
  has(refused, "no link.flit_bits");
  keys.table.add("link.flit_bits", flit_bits, {1, 1000}, "bits", "bits");
  keys.set("clock_period_ps", "2 GHz");
  keys.table.settle_defaults();
  CHECK(load == Approx(64 * 0.5 / 128));
}
