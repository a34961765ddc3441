// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/sid_allocator.h"

#include <algorithm>
#include <set>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::host;

TEST_CASE("sid allocator: all members get one sid, other groups another") {
  SidAllocator sids;
  const SidAllocator::Group pair{1, 0b11, 0}, same_nodes{1, 0b11, 1}, other{1, 0b1100, 0};
  sids.request(10, pair);
  sids.request(12, same_nodes);
  sids.request(11, other);
  sids.request(500, pair);
  REQUIRE(sids.sid(1000, pair) == 0);
  REQUIRE(sids.sid(1000, other) == 1);
  REQUIRE(sids.sid(1001, same_nodes) == 2);
  REQUIRE(sids.in_use(1001) == 3);
}

TEST_CASE("sid allocator: the order of calls within a cycle does not matter") {
  std::vector<std::vector<std::uint8_t>> results;
  for (std::uint64_t order = 0; order < 10; ++order) {
    SidAllocator sids;
    std::vector<SidAllocator::Group> groups;
    for (std::uint32_t g = 0; g < 20; ++g) groups.push_back({1, std::uint64_t{3} << g, g % 3});
    CounterRandom random(order, 0);
    auto shuffled = groups;
    for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i)]);
    for (const auto& group : shuffled) sids.request(7, group);
    std::vector<std::uint8_t> got;
    for (const auto& group : groups) got.push_back(sids.sid(8, group));
    results.push_back(got);
  }
  for (const auto& result : results) REQUIRE(result == results[0]);
}

TEST_CASE("sid allocator: a sid is free again when every member has released it") {
  SidAllocator sids;
  const SidAllocator::Group group{1, 0b111, 0};
  sids.request(1, group);
  REQUIRE(sids.sid(2, group) == 0);
  sids.release(5, group);
  sids.release(6, group);
  REQUIRE(sids.in_use(10) == 1);
  sids.release(11, group);
  sids.request(11, {2, 1, 0});  // in the same cycle: releases go first
  REQUIRE(sids.sid(12, {2, 1, 0}) == 0);
  REQUIRE(sids.in_use(12) == 1);
  REQUIRE_THROWS_AS(sids.sid(13, group), ModelError);
}

TEST_CASE("sid allocator: a group may be requested in the first cycle") {
  SidAllocator sids;
  sids.request(0, {1, 0b11, 0});
  REQUIRE(sids.sid(1, {1, 0b11, 0}) == 0);
}

TEST_CASE("sid allocator: a group is identified by its nodes, its task and its tag") {
  SidAllocator sids;
  const SidAllocator::Group groups[] = {{1, 0b11, 0}, {2, 0b11, 0}, {1, 0b101, 0}, {1, 0b11, 1}};
  for (const auto& group : groups) sids.request(4, group);
  REQUIRE(sids.in_use(4) == 0);  // released by the end of the previous cycle
  REQUIRE(sids.in_use(5) == 4);
  std::set<unsigned> found;
  for (const auto& group : groups) found.insert(sids.sid(5, group));
  REQUIRE(found == std::set<unsigned>{0, 1, 2, 3});
  // The lowest free sid is assigned again.
  sids.release(5, groups[0]);
  sids.release(5, groups[0]);
  sids.request(6, {3, 0b11, 0});
  sids.request(6, {3, 0b11, 1});
  REQUIRE(sids.sid(7, {3, 0b11, 0}) == 0);
  REQUIRE(sids.sid(7, {3, 0b11, 1}) == 4);
  sids.release(7, groups[0]);
  REQUIRE_THROWS_WITH(sids.in_use(8), Catch::Contains("a release of a group without a sid"));
}

TEST_CASE("sid allocator: the 129th group is refused, and so are answers in the cycle of the request") {
  SidAllocator sids;
  for (std::uint32_t g = 0; g < 128; ++g) sids.request(1, {1, 1, g});
  REQUIRE_THROWS_AS(sids.sid(1, {1, 1, 0}), ModelError);
  REQUIRE(sids.sid(2, {1, 1, 127}) == 127);
  sids.request(3, {1, 1, 128});
  REQUIRE_THROWS_AS(sids.sid(4, {1, 1, 128}), ModelError);
  REQUIRE_THROWS_AS(sids.request(1, {1, 1, 5}), ModelError);
}
