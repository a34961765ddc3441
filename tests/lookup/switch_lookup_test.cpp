// SPDX-License-Identifier: Apache-2.0

#include "tsuji/lookup/switch_lookup.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/lookup/routing_table_cache.h"

using namespace tsuji;
using namespace tsuji::lookup;

namespace {

/// Routes every destination to the port of its number.
class ByNumber final : public routing::TableImage {
 public:
  routing::TableForm table_form() const override { return routing::TableForm::port_and_vcs; }
  routing::RouteCandidate table_entry(graph::RouterId, std::uint32_t, NodeId destination) const override {
    return {static_cast<std::uint16_t>(destination), 1, 0};
  }
};

}  // namespace

TEST_CASE("a restored route leaves the other changes in place") {
  const ByNumber image;
  tsuji::test::ScriptedRouting routing(1);
  routing.image = &image;
  RouteTable table(routing, 0);
  for (const NodeId destination : {9U, 3U, 6U}) table.change(destination, {70, 2});
  table.change(6, {71, 4});
  CHECK(table.changes() == 3);
  table.restore(3);
  table.restore(5);  // was never changed
  CHECK(table.changes() == 2);
  CHECK(table.entry(0, 3).port == 3);
  CHECK(table.entry(0, 6).port == 71);
  CHECK(table.entry(0, 9).port == 70);
  CHECK(table.entry(0, 5).port == 5);
}

TEST_CASE("counters of switches add up, and the longest wait of all is kept") {
  LookupCounters one, other;
  one.cam_accesses = 3, one.cam_wait_sum = 9, one.cam_wait_most = 7, one.cam_busy_cycles = 30;
  other.cam_accesses = 2, other.cam_wait_sum = 4, other.cam_wait_most = 4, other.cam_busy_cycles = 20;
  LookupCounters sum = one;
  sum += other;
  CHECK(sum.cam_accesses == 5);
  CHECK(sum.cam_wait_sum == 13);
  CHECK(sum.cam_wait_most == 7);
  CHECK(sum.cam_busy_cycles == 50);
  other += one;
  CHECK(other.cam_wait_most == 7);
}

TEST_CASE("a memory is busy while it takes an access: one cycle if pipelined, otherwise all of its cycles") {
  for (const Cycle interval : {0U, 1U, 5U}) {
    CamQueue queue(5, interval);
    CHECK(queue.start(10) == 10);
    CHECK(queue.start(10) == 10 + interval);
    CHECK(queue.start(40) == 40);
    LookupCounters counters;
    queue.add_to(counters);
    CHECK(counters.cam_accesses == 3);
    CHECK(counters.cam_busy_cycles == (interval == 5 ? 15 : 3));
    CHECK(counters.cam_wait_sum == interval);
    CHECK(counters.cam_wait_most == interval);
  }
}

TEST_CASE(
    "a hit counts as a use also where causes of misses are counted: its key is a conflict after its "
    "eviction") {
  // Four sets of one entry; the fully associative cache of the same size loses key 0 to the keys of set 1.
  const CacheShape shape({4, 1, "lru", true});
  RoutingTableCache cache(shape);
  cache.warm(100, 0, {1, 1});
  for (std::uint64_t key = 1; key <= 4; ++key) cache.warm(key, 1, {2, 1});
  REQUIRE(cache.find(100, 0) != nullptr);  // now the most recently used
  cache.fill(200, 0, {3, 1});
  CHECK(cache.find(100, 0) == nullptr);
  CHECK(cache.counters().conflict == 1);
  CHECK(cache.counters().capacity == 0);
}
