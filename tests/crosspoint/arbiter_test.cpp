#include <catch2/catch.hpp>

#include "tsuji/core/error.h"
#include "tsuji/crosspoint/output_arbiter.h"
#include "tsuji/crosspoint/sync_table.h"

using namespace tsuji;
using crosspoint::OutputArbiter;

TEST_CASE("requesters with room are served in turn") {
  OutputArbiter arbiter(5, 4);
  OutputArbiter::Requests requests;
  requests.asking = 0b11011;
  for (unsigned r = 0; r < 5; ++r) requests.targets[r] = 1U << (r % 4);
  std::vector<int> order;
  for (int i = 0; i < 8; ++i) {
    const int chosen = arbiter.choose(requests, 0b1111);
    arbiter.served(requests, chosen);
    order.push_back(chosen);
  }
  CHECK(order == std::vector<int>{0, 1, 3, 4, 0, 1, 3, 4});
  CHECK(arbiter.choose(requests, 0b1000) == 3);
  CHECK(arbiter.choose(requests, 0b0100) == OutputArbiter::none);
}

TEST_CASE("a multicast head passed over four times keeps its FIFOs free of the others") {
  OutputArbiter arbiter(5, 4);
  OutputArbiter::Requests requests;
  requests.asking = 0b0111;
  requests.multicast = 0b0001;
  requests.targets = {0b0011, 0b0001, 0b0100};
  // FIFO 1 has no room: the multicast cannot go, the single casts can.
  for (int i = 0; i < 4; ++i) {
    const int chosen = arbiter.choose(requests, 0b1101);
    REQUIRE((chosen == 1 || chosen == 2));
    arbiter.served(requests, chosen);
  }
  // From now on requester 1 must leave FIFO 0 alone; requester 2 wants another one and may go.
  CHECK(arbiter.choose(requests, 0b1001) == OutputArbiter::none);
  CHECK(arbiter.choose(requests, 0b1101) == 2);
  // The multicast goes when both have room, and the reservation ends with it.
  requests.asking = 0b0011;
  REQUIRE(arbiter.choose(requests, 0b0011) == 0);
  arbiter.served(requests, 0);
  CHECK(arbiter.choose(requests, 0b0001) == 1);
}

TEST_CASE("exactly as many packets pass a multicast head as may") {
  const unsigned most = GENERATE(1U, 2U, 5U, 255U);
  OutputArbiter arbiter(5, most);
  OutputArbiter::Requests requests;
  requests.asking = 0b0011;
  requests.multicast = 0b0001;
  requests.targets = {0b0011, 0b0001};
  // FIFO 1 has no room: requester 1 goes for as long as it may.
  unsigned passed = 0;
  for (; passed < 300 && arbiter.choose(requests, 0b0001) == 1; ++passed) arbiter.served(requests, 1);
  CHECK(passed == most);
}

namespace {

PacketTransfer synchronization(PacketPool& pool, std::uint8_t sid, std::uint64_t members) {
  PacketRef ref = pool.make();
  ref.edit().kind = PacketKind::synchronization;
  ref.edit().sid = sid;
  ref.edit().map = members;
  ref.edit().flits = 10;
  return {ref, 1, 1};
}

}  // namespace

TEST_CASE("an early packet of the next round is kept, a third one is a broken invariant") {
  const graph::Multistage network({4, 4, 1, 2});
  const graph::SwitchRoute route(network, 0, 0);
  PacketPool pool;  // outlives the table, which keeps packets
  crosspoint::SyncTable table(route, 4);
  const auto packet = synchronization(pool, 3, 0b0011);
  CHECK(table.enter(0, packet, 10, "switch") == 0);
  CHECK(table.enter(0, packet, 20, "switch") == 0);  // the next round, before input 1's first
  CHECK_THROWS_AS(table.enter(0, packet, 30, "switch"), ModelError);
  CHECK(table.enter(1, packet, 40, "switch") == 2);  // round 1 completes: outputs 0 and 1 owe a packet each
  CHECK(table.enter(1, packet, 50, "switch") == 2);  // and round 2, though nothing has gone out yet
  Cycle next = never;
  CHECK(table.choose(0, 39, 1, next) == -1);
  CHECK(next == 40);
  CHECK(table.choose(0, 40, 1, next) == 3);
  CHECK(table.choose(0, 40, 0, next) == -1);  // no room
  table.take(0, 3, 60);
  next = never;
  CHECK(table.choose(0, 49, 1, next) == -1);  // round 2 is ready later
  CHECK(next == 50);
  table.take(0, 3, 60);
  CHECK_FALSE(table.owes(0));
  CHECK(table.owes(1));
  CHECK_FALSE(table.owes(2));
}

TEST_CASE("a synchronization at an input without members is a broken invariant") {
  const graph::Multistage network({4, 4, 1, 2});
  const graph::SwitchRoute route(network, 0, 0);
  PacketPool pool;  // outlives the table, which keeps packets
  crosspoint::SyncTable table(route, 4);
  CHECK_THROWS_AS(table.enter(3, synchronization(pool, 3, 0b0011), 10, "switch"), ModelError);
}
