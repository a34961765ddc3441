// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/compact_search.h"
#include "support/thrown.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "support/catch.h"
#include "support/sc_reports.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/lookup/compact_lookup.h"
#include "tsuji/lookup/compact_search_module.h"
#include "tsuji/routing/compact/compact.h"

using namespace tsuji;
using namespace tsuji::lookup;
using routing::CoordinateDistance;

namespace {

CompactSearchRequest insert(std::uint32_t row, GridPlace place, std::uint32_t port) {
  return {true, CamOperation::insert, row, place, port};
}
CompactSearchRequest search(GridPlace destination) {
  return {true, CamOperation::search, 0, destination, 0};
}

/// A table of 5 rows on a line, with 2 compared a cycle: row i lies at (2 i, 0), with port 10 + i.
CompactSearchState line_of_five(bool ends_early) {
  CompactSearchConfig config;
  config.entries = 8;
  config.per_cycle = 2;
  config.ends_early = ends_early;
  CompactSearchState state(config);
  for (std::uint32_t row = 0; row < 5; ++row) state.step(insert(row, {2 * row, 0}, 10 + row));
  return state;
}

struct Answered {
  Cycle cycles;  ///< after the request
  CompactSearchAnswer answer;
};

/// Sends one request to the ready unit, and steps the unit without input until it answers.
Answered ask(CompactSearchState& state, GridPlace destination) {
  CompactSearchAnswer answer = state.step(search(destination));
  Cycle cycles = 1;
  for (; !answer.valid && cycles < 1000; ++cycles) {
    REQUIRE_FALSE(answer.ready);
    answer = state.step({});
  }
  REQUIRE(answer.ready);
  return {cycles, answer};
}

struct PlainRow {
  std::int64_t x, y;
  std::uint32_t port;
};

/// Reference: the lowest of the nearest rows, by signed arithmetic.
std::uint32_t plain_choice(const std::vector<PlainRow>& rows, GridPlace to, CoordinateDistance kind) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> order;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    const std::int64_t dx = rows[row].x - to.x, dy = rows[row].y - to.y;
    order.emplace_back(
        kind == CoordinateDistance::euclid ? dx * dx + dy * dy : std::max(dx, -dx) + std::max(dy, -dy), row);
  }
  return std::min_element(order.begin(), order.end())->second;
}

CompactSearchConfig random_config(CounterRandom& random) {
  CompactSearchConfig config;
  config.entries = static_cast<std::uint32_t>(1 + random.below(40));
  config.per_cycle = static_cast<std::uint32_t>(1 + random.below(config.entries));
  config.coordinate_bits = static_cast<unsigned>(1 + random.below(16));
  config.distance = random.below(2) == 0 ? CoordinateDistance::euclid : CoordinateDistance::manhattan;
  config.ends_early = random.below(2) == 0;
  return config;
}

}  // namespace

TEST_CASE("the nearest row of a compact table is chosen, of several the lowest") {
  CompactSearchConfig config;
  CompactSearch table(config);
  CHECK_FALSE(table.choose({3, 3}));
  table.write(2, {{10, 10}, 7});
  table.write(1, {{10, 20}, 8});
  CHECK(table.choose({10, 14})->row == 2);
  CHECK(table.choose({10, 14})->port == 7);
  CHECK(table.choose({10, 15})->row == 1);  // both at distance 5
  CHECK(table.rows_in_use() == 3);
  table.erase(1);
  table.erase(1);
  CHECK(table.choose({10, 20})->row == 2);
  table.write(2, {{0, 0}, 1});
  CHECK(table.distance(2, {3, 4}) == 25U);
  CHECK_FALSE(table.distance(1, {0, 0}));
  CHECK_FALSE(table.distance(config.entries, {0, 0}));
  table.erase(2);
  CHECK(table.rows_in_use() == 0);
}

TEST_CASE("the two distances of a compact table differ where rows lie in a line or in a corner") {
  CompactSearchConfig config;
  for (const CoordinateDistance kind : {CoordinateDistance::euclid, CoordinateDistance::manhattan}) {
    config.distance = kind;
    CompactSearch table(config);
    table.write(0, {{5, 0}, 1});  // Euclid 5, Manhattan 5
    table.write(1, {{3, 3}, 2});  // Euclid 4.2, Manhattan 6
    CHECK(table.choose({0, 0})->row == (kind == CoordinateDistance::euclid ? 1U : 0U));
  }
}

TEST_CASE("the largest distances of a compact table fit into its distance bits") {
  CompactSearchConfig config;
  config.coordinate_bits = 16;
  CompactSearch table(config);
  table.write(0, {{65535, 65535}, 0});
  CHECK(table.distance(0, {0, 0}) == 8589672450U);  // 2 * 65535^2
  CHECK(config.distance_bits() == 33);              // 2^33 is 8589934592
  table.write(1, {{65535, 65534}, 0});
  CHECK(table.choose({0, 0})->row == 1);
  config.coordinate_bits = 8;
  CHECK(config.distance_bits() == 17);  // 2 * 255^2 is 130050
  config.distance = CoordinateDistance::manhattan;
  CHECK(config.distance_bits() == 9);  // 510
}

TEST_CASE(
    "compare cycles are the rows by the rows a cycle, rounded up, or those up to the destination's row") {
  CHECK(compare_cycles(25, 4) == 7);
  CHECK(compare_cycles(24, 4) == 6);
  CHECK(compare_cycles(1, 4) == 1);
  CHECK(compare_cycles(0, 4) == 0);
  CHECK(compare_cycles(25, 25) == 1);
  CHECK(compare_cycles(25, 1) == 25);
  CHECK(compare_cycles(0xffffffffU, 2) == 0x80000000U);
  CHECK(compare_cycles(25, 4, 0) == 1);
  CHECK(compare_cycles(25, 4, 3) == 1);
  CHECK(compare_cycles(25, 4, 4) == 2);
  CHECK(compare_cycles(25, 4, 24) == 7);
}

TEST_CASE("five rows at two a cycle: three cycles of comparing, one to choose") {
  CompactSearchState state = line_of_five(false);
  // Rows 1 and 2 both have distance 1.
  CompactSearchAnswer answer = state.step(search({3, 0}));
  for (const std::uint32_t from : {2U, 4U}) {
    CHECK_FALSE(answer.ready);
    CHECK_FALSE(answer.valid);
    CHECK_FALSE(state.choosing());
    CHECK(state.comparing_row() == from);
    answer = state.step(insert(0, {3, 0}, 99));  // not taken
  }
  CHECK_FALSE(answer.ready);
  CHECK(state.choosing());
  CHECK(state.comparing_row() == 0);
  // Comparator 0 has seen rows 0, 2, 4 and comparator 1 rows 1 and 3.
  CHECK(state.nearest()[0].row == 2);
  CHECK(state.nearest()[0].distance == 1);
  CHECK(state.nearest()[1].row == 1);
  answer = state.step(search({8, 0}));  // not taken, either
  CHECK(answer.ready);
  CHECK(answer.valid);
  CHECK(answer.hit);
  CHECK(answer.row == 1);
  CHECK(answer.port == 11);
  // The next search is accepted in the cycle of the answer.
  const Answered next = ask(state, {255, 0});
  CHECK(next.cycles == 4);
  CHECK(next.answer.port == 14);
  CHECK(state.searches() == 2);
  CHECK(state.rows_compared() == 10);
}

TEST_CASE("a row at the destination ends the comparison after its cycle if the unit ends early") {
  CompactSearchState early = line_of_five(true), late = line_of_five(false);
  const Cycle cycles[] = {2, 2, 3, 3, 4};  // one to three of comparing, one to choose
  for (std::uint32_t row = 0; row < 5; ++row) {
    const Answered there = ask(early, {2 * row, 0});
    CHECK(there.cycles == cycles[row]);
    CHECK(there.answer.port == 10 + row);
    CHECK(ask(late, {2 * row, 0}).cycles == 4);
    CHECK(ask(early, {2 * row, 1}).cycles == 4);
  }
}

TEST_CASE("an empty compact table answers in the next cycle without a row") {
  CompactSearchState state{CompactSearchConfig()};
  const Answered nothing = ask(state, {1, 2});
  CHECK(nothing.cycles == 1);
  CHECK_FALSE(nothing.answer.hit);
  CHECK_FALSE(state.choosing());
  CHECK(state.searches() == 1);
  CHECK(state.rows_compared() == 0);
}

TEST_CASE("changes of a compact table take a cycle and apply to the next search") {
  CompactSearchState state = line_of_five(true);
  CHECK(state.step(insert(3, {100, 100}, 50)).ready);
  CHECK(ask(state, {100, 100}).answer.port == 50);
  CHECK(state.step({true, CamOperation::erase, 3, {}, 0}).ready);
  CHECK(ask(state, {100, 100}).answer.row == 4);
  CHECK(state.step({true, CamOperation::none, 4, {0, 0}, 77}).ready);
  CHECK(ask(state, {100, 100}).answer.port == 14);
  CHECK_FALSE(state.step({false, CamOperation::erase, 4, {}, 0}).valid);
  CHECK(state.contents().rows_in_use() == 5);
  // Empty rows are not compared, but take their cycles up to the last row with an entry.
  for (const std::uint32_t row : {0U, 1U, 2U}) state.step({true, CamOperation::erase, row, {}, 0});
  const std::uint64_t before = state.rows_compared();
  const Answered last = ask(state, {0, 0});
  CHECK(last.cycles == 4);
  CHECK(last.answer.row == 4);
  CHECK(state.rows_compared() == before + 1);
}

TEST_CASE("a reset empties a compact table and forgets the current search") {
  for (const unsigned cycles : {1U, 2U, 3U}) {
    CompactSearchState state = line_of_five(false);
    state.step(search({0, 0}));
    for (unsigned cycle = 1; cycle < cycles; ++cycle) state.step({});
    const CompactSearchAnswer answer = state.reset();
    CHECK(answer.ready);
    CHECK_FALSE(answer.valid);
    CHECK_FALSE(state.choosing());
    CHECK(state.comparing_row() == 0);
    CHECK_FALSE(state.nearest()[0].valid);
    CHECK(state.contents().rows_in_use() == 0);
    CHECK_FALSE(state.step({}).valid);
    state.step(insert(0, {9, 9}, 4));
    CHECK(ask(state, {0, 0}).answer.port == 4);
  }
}

TEST_CASE(
    "searches of random compact tables take the closed form's cycles and choose as the reference does") {
  CounterRandom random(11, 1);
  for (unsigned example = 0; example < 400; ++example) {
    const CompactSearchConfig config = random_config(random);
    const std::uint64_t side = std::uint64_t{1}
                               << (random.below(2) == 0 ? config.coordinate_bits
                                                        : std::min(3U, config.coordinate_bits));
    CAPTURE(example, config.entries, config.per_cycle, config.coordinate_bits, config.ends_early);
    CompactSearchState state(config);
    std::vector<PlainRow> rows(1 + random.below(config.entries));
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      const GridPlace at{static_cast<std::uint32_t>(random.below(side)),
                         static_cast<std::uint32_t>(random.below(side))};
      rows[row] = {at.x, at.y, static_cast<std::uint32_t>(random.below(256))};
      REQUIRE(state.step(insert(row, at, rows[row].port)).ready);
    }
    for (unsigned i = 0; i < 50; ++i) {
      const PlainRow& near = rows[random.below(rows.size())];
      GridPlace to{static_cast<std::uint32_t>(near.x), static_cast<std::uint32_t>(near.y)};
      if (i % 2 == 0) to.x = static_cast<std::uint32_t>(random.below(side));
      if (i % 4 == 0) to.y = static_cast<std::uint32_t>(random.below(side));
      std::optional<std::uint32_t> exact;
      for (std::uint32_t row = 0; row < rows.size() && config.ends_early && !exact; ++row)
        if (rows[row].x == to.x && rows[row].y == to.y) exact = row;
      const Cycle compared = compare_cycles(static_cast<std::uint32_t>(rows.size()), config.per_cycle, exact);
      const std::uint64_t before = state.rows_compared();
      const Answered answered = ask(state, to);
      const std::uint32_t row = plain_choice(rows, to, config.distance);
      REQUIRE(answered.cycles == compared + 1);
      REQUIRE(answered.answer.row == row);
      REQUIRE(answered.answer.port == rows[row].port);
      REQUIRE(state.contents().choose(to)->row == row);
      REQUIRE(state.rows_compared() - before ==
              std::min<std::uint64_t>(rows.size(), compared * config.per_cycle));
    }
  }
}

TEST_CASE("the unit chooses as a network's compact tables do, in the cycles of a switch's searches") {
  const graph::Topology topology = graph::make_random_grid({64, 4, 3, 5, 0}, 1);
  const bool early = GENERATE(false, true);
  routing::CompactRoutingConfig tables_config;
  tables_config.entries = 16;
  tables_config.distance = GENERATE(CoordinateDistance::euclid, CoordinateDistance::manhattan);
  const routing::Compact routing(topology, 8, tables_config);
  const routing::CompactTables& tables = routing.tables();
  const auto place = [&](routing::RouterId router) {
    return GridPlace{tables.space().at(0, router), tables.space().at(1, router)};
  };
  CompactSearchConfig config;
  config.entries = tables.capacity();
  config.per_cycle = 5;
  config.coordinate_bits = 3;
  config.distance = tables_config.distance;
  config.ends_early = early;
  CompactSearchTiming timing;
  timing.entries_per_cycle = 5;
  timing.ends_early = early;
  for (routing::RouterId router = 0; router < tables.routers(); ++router) {
    const routing::CompactTables::Entries entries = tables.entries(router);
    const CompactSearches searches(routing, timing, router, 5);
    CompactSearchState state(config);
    for (unsigned row = 0; row < entries.size(); ++row)
      state.step(insert(row, place(entries[row].destination), entries[row].port));
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const routing::RouterId to = topology.node(node).eject.router;
      if (to == router) continue;
      const std::uint64_t before = state.rows_compared();
      const Answered answered = ask(state, place(to));
      REQUIRE(answered.answer.row == tables.choose(router, to));
      REQUIRE(answered.answer.port == entries[answered.answer.row].port);
      REQUIRE(answered.cycles == searches.search(node).cycles);
      REQUIRE(state.rows_compared() - before == searches.search(node).entries);
    }
  }
}

TEST_CASE("impossible units are refused") {
  const auto refused = [](const CompactSearchConfig& config, const char* key, const char* accepted) {
    const auto error = tsuji::test::thrown<ConfigError>([&] { CompactSearch table(config); });
    REQUIRE(error);
    CHECK(error->key() == key);
    CHECK(error->accepted() == accepted);
  };
  const auto with = [](auto field, auto value) {
    CompactSearchConfig config;
    config.*field = value;
    return config;
  };
  using Config = CompactSearchConfig;
  refused(with(&Config::entries, 0U), "routing.entries", "1 or more");
  refused(with(&Config::per_cycle, 0U), "lookup.search_width", "1..32");
  refused(with(&Config::per_cycle, 33U), "lookup.search_width", "1..32");
  refused(with(&Config::coordinate_bits, 0U), "", "1..16");
  refused(with(&Config::coordinate_bits, 17U), "", "1..16");
  refused(with(&Config::port_bits, 0U), "", "1..16");
  refused(with(&Config::port_bits, 17U), "", "1..16");
  refused(with(&Config::distance, CoordinateDistance::wrapped), "routing.distance", "euclid or manhattan");
  for (const unsigned bits : {1U, 16U}) {
    CHECK_NOTHROW(CompactSearch(with(&Config::coordinate_bits, bits)));
    CHECK_NOTHROW(CompactSearch(with(&Config::port_bits, bits)));
  }
  CHECK_NOTHROW(CompactSearch(with(&Config::per_cycle, 32U)));
  Config one = with(&Config::entries, 1U);
  one.per_cycle = 1;
  CHECK_NOTHROW(CompactSearch(one));
}

TEST_CASE("nonexistent rows, and coordinates and ports that are too wide, break an invariant") {
  CompactSearchConfig config;
  config.port_bits = 3;
  CompactSearch table(config);
  CHECK_NOTHROW(table.write(31, {{255, 255}, 7}));
  CHECK_THROWS_AS(table.write(32, {{0, 0}, 0}), ModelError);
  CHECK_THROWS_AS(table.erase(32), ModelError);
  CHECK_THROWS_AS(table.write(0, {{256, 0}, 0}), ModelError);
  CHECK_THROWS_AS(table.write(0, {{0, 256}, 0}), ModelError);
  CHECK_THROWS_AS(table.write(0, {{0, 0}, 8}), ModelError);
}

namespace {

/// The module with signals at its pins.
struct Rig {
  explicit Rig(const CompactSearchConfig& config) : module("unit", config), valid("nv", config.per_cycle) {
    module.clock(clock);
    module.reset(reset);
    module.request_valid(request_valid);
    module.request_operation(operation);
    module.request_row(row);
    module.request_x(x);
    module.request_y(y);
    module.request_port(port);
    module.request_ready(ready);
    module.answer_valid(answered);
    module.answer_hit(hit);
    module.answer_row(answer_row);
    module.answer_port(answer_port);
    module.comparing_row(comparing_row);
    module.choosing(choosing);
    nearest_row.init(config.per_cycle);
    nearest_distance.init(config.per_cycle);
    module.nearest_valid.bind(valid);
    module.nearest_row.bind(nearest_row);
    module.nearest_distance.bind(nearest_distance);
  }
  void write(const CompactSearchRequest& request, bool clear) {
    reset.write(clear);
    request_valid.write(request.valid);
    operation.write(static_cast<std::uint32_t>(request.operation));
    row.write(request.row);
    x.write(request.place.x);
    y.write(request.place.y);
    port.write(request.port);
  }
  sc_core::sc_clock clock{"clock", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> reset{"reset"}, request_valid{"request_valid"}, ready{"ready"},
      answered{"answered"}, hit{"hit"}, choosing{"choosing"};
  sc_core::sc_signal<std::uint32_t> operation{"operation"}, row{"row"}, x{"x"}, y{"y"}, port{"port"},
      answer_row{"answer_row"}, answer_port{"answer_port"}, comparing_row{"comparing_row"};
  CompactSearchModule module;
  sc_core::sc_vector<sc_core::sc_signal<bool>> valid;
  sc_core::sc_vector<sc_core::sc_signal<std::uint32_t>> nearest_row{"nearest_row"};
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> nearest_distance{"nearest_distance"};
};

CompactSearchRequest random_request(CounterRandom& random, const CompactSearchConfig& config) {
  constexpr CamOperation kinds[] = {CamOperation::search, CamOperation::search, CamOperation::search,
                                    CamOperation::insert, CamOperation::insert, CamOperation::erase,
                                    CamOperation::none};
  CompactSearchRequest request;
  request.valid = random.below(4) != 0;
  request.operation = kinds[random.below(7)];
  request.row = static_cast<std::uint32_t>(random.below(config.entries));
  request.place = {static_cast<std::uint32_t>(random.below(16)),
                   static_cast<std::uint32_t>(random.below(16))};
  request.port = static_cast<std::uint32_t>(random.below(8));
  return request;
}

}  // namespace

TEST_CASE("the unit with pins equals the class without SystemC in every cycle") {
  CompactSearchConfig config;
  config.entries = 13;
  config.per_cycle = 3;
  config.coordinate_bits = 4;
  config.ends_early = true;
  Rig rig(config);
  CounterRandom random(6, 2);
  CompactSearchState state(config);
  rig.write(search({0, 0}), false);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(rig.ready.read());  // before the first edge nothing has been taken
  CHECK(rig.module.state().searches() == 0);
  for (unsigned cycle = 0; cycle < 4000; ++cycle) {
    const CompactSearchRequest request = random_request(random, config);
    const bool clear = random.below(300) == 0;
    rig.write(request, clear);
    sc_core::sc_start(1, sc_core::SC_NS);
    const CompactSearchAnswer answer = clear ? state.reset() : state.step(request);
    REQUIRE(rig.ready.read() == answer.ready);
    REQUIRE(rig.answered.read() == answer.valid);
    REQUIRE(rig.hit.read() == answer.hit);
    REQUIRE(rig.answer_row.read() == answer.row);
    REQUIRE(rig.answer_port.read() == answer.port);
    REQUIRE(rig.comparing_row.read() == state.comparing_row());
    REQUIRE(rig.choosing.read() == state.choosing());
    for (std::size_t i = 0; i < config.per_cycle; ++i) {
      REQUIRE(rig.valid[i].read() == state.nearest()[i].valid);
      REQUIRE(rig.nearest_row[i].read() == state.nearest()[i].row);
      REQUIRE(rig.nearest_distance[i].read() == state.nearest()[i].distance);
    }
  }
  CHECK(rig.module.state().searches() == state.searches());
  CHECK(state.searches() > 300);
}

TEST_CASE("an operation that does not fit the unit's pins is refused") {
  Rig rig{CompactSearchConfig()};
  CompactSearchRequest request = search({0, 0});
  request.operation = static_cast<CamOperation>(4);
  request.valid = false;
  rig.write(request, false);
  CHECK_NOTHROW(sc_core::sc_start(1, sc_core::SC_NS));
  request.valid = true;
  rig.write(request, false);
  const tsuji::test::ExpectedReport uncaught(sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_);
  CHECK_THROWS_WITH(sc_core::sc_start(1, sc_core::SC_NS), Catch::Contains("there is no operation 4"));
}
