// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
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

TEST_CASE("a multicast head passed over four times reserves its FIFOs") {
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
  // From now on requester 1 must not use FIFO 0; requester 2 wants another one and may proceed.
  CHECK(arbiter.choose(requests, 0b1001) == OutputArbiter::none);
  CHECK(arbiter.choose(requests, 0b1101) == 2);
  // The multicast goes when both have room, and the reservation ends with it.
  requests.asking = 0b0011;
  REQUIRE(arbiter.choose(requests, 0b0011) == 0);
  arbiter.served(requests, 0);
  CHECK(arbiter.choose(requests, 0b0001) == 1);
}

TEST_CASE("exactly the configured number of packets passes a multicast head") {
  const unsigned most = GENERATE(1U, 2U, 5U, 255U);
  OutputArbiter arbiter(5, most);
  OutputArbiter::Requests requests;
  requests.asking = 0b0011;
  requests.multicast = 0b0001;
  requests.targets = {0b0011, 0b0001};
  // FIFO 1 has no room: requester 1 proceeds for as long as it may.
  unsigned passed = 0;
  for (; passed < 300 && arbiter.choose(requests, 0b0001) == 1; ++passed) arbiter.served(requests, 1);
  CHECK(passed == most);
}

namespace {

/// Reference of an output's rules (rooms/crosspoint.md, Arbiter), with each requester's request.
class OutputRules {
 public:
  struct Asking {
    std::uint32_t targets = 0;
    bool multicast = false;
    unsigned passed_over = 0;
  };
  OutputRules(unsigned requesters, unsigned reserve_after)
      : asking(requesters), reserve_after_(reserve_after), last_(requesters - 1) {}

  int choose(std::uint32_t room) const {
    for (const unsigned r : in_turn()) {
      if (!asking[r] || (asking[r]->targets & ~room) != 0) continue;
      const bool of_another = keeper_ != OutputArbiter::none && keeper_ != static_cast<int>(r);
      const bool kept =
          of_another && (asking[r]->targets & asking[static_cast<unsigned>(keeper_)]->targets) != 0;
      if (!kept) return static_cast<int>(r);
    }
    return OutputArbiter::none;
  }
  void served(unsigned requester) {
    asking[requester].reset();
    if (keeper_ == static_cast<int>(requester)) keeper_ = OutputArbiter::none;
    last_ = requester;
    for (auto& other : asking) {
      if (other && other->multicast) ++other->passed_over;
    }
    for (const unsigned r : in_turn()) {
      const bool long_enough = asking[r] && asking[r]->passed_over >= reserve_after_;
      if (keeper_ == OutputArbiter::none && long_enough) keeper_ = static_cast<int>(r);
    }
  }
  std::vector<std::optional<Asking>> asking;

 private:
  std::vector<unsigned> in_turn() const {
    std::vector<unsigned> order;
    for (unsigned step = 1; step <= asking.size(); ++step)
      order.push_back((last_ + step) % static_cast<unsigned>(asking.size()));
    return order;
  }

  unsigned reserve_after_, last_;
  int keeper_ = OutputArbiter::none;  ///< the head with reserved FIFOs
};

}  // namespace

TEST_CASE("turns and reservations of an output follow the rules, for any requests and room") {
  for (unsigned run = 0; run < 60; ++run) {
    CAPTURE(run);
    CounterRandom random(11, run);
    const auto ports = static_cast<unsigned>(2 + random.below(15)), most = 1 + run % 7;
    OutputArbiter arbiter(ports + 1, most);
    OutputRules rules(ports + 1, most);
    unsigned served = 0, differing = 0;
    for (unsigned cycle = 0; cycle < 600; ++cycle) {
      OutputArbiter::Requests requests;
      requests.targets.fill(0xffff);  // targets of inputs without a request must not matter
      for (unsigned r = 0; r <= ports; ++r) {
        auto& own = rules.asking[r];
        if (!own && random.below(3) == 0) {
          own.emplace();
          own->targets = std::uint32_t{1} << random.below(ports);
          own->multicast = r < ports && random.below(2) == 0;
          if (own->multicast) own->targets |= std::uint32_t{1} << random.below(ports);
        }
        if (!own) continue;
        requests.asking |= std::uint32_t{1} << r;
        requests.multicast |= std::uint32_t{own->multicast} << r;
        requests.targets[r] = own->targets;
      }
      const auto room = static_cast<std::uint32_t>(random.next() | random.next()) & ((1U << ports) - 1U);
      const int chosen = arbiter.choose(requests, room);
      differing += chosen == rules.choose(room) ? 0 : 1;
      if (chosen == OutputArbiter::none || differing != 0) continue;
      arbiter.served(requests, chosen);
      rules.served(static_cast<unsigned>(chosen));
      ++served;
    }
    CHECK(differing == 0);
    CHECK(served > 100);
  }
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

TEST_CASE("an early packet of the next round is kept, and a third one is a broken invariant") {
  const graph::Multistage network({4, 4, 1, 2});
  const graph::SwitchRoute route(network, 0, 0);
  PacketPool pool;  // outlives the table, which keeps packets
  crosspoint::SyncTable table(route, 4);
  const auto packet = synchronization(pool, 3, 0b0011);
  CHECK(table.enter(0, packet, 10, "switch") == 0);
  CHECK(table.enter(0, packet, 20, "switch") == 0);  // the next round, before input 1's first
  CHECK_THROWS_AS(table.enter(0, packet, 30, "switch"), ModelError);
  CHECK(table.enter(1, packet, 40, "switch") == 2);  // round 1 completes: outputs 0 and 1 owe a packet each
  CHECK(table.enter(1, packet, 50, "switch") == 2);  // round 2, too, although nothing has left yet
  CHECK(table.choose(0, 1) == 3);
  CHECK(table.choose(0, 0) == -1);  // no room
  table.take(0, 3, 60);
  CHECK(table.choose(0, 1) == 3);
  table.take(0, 3, 70);
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
