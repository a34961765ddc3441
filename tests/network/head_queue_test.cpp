// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/head_queue.h"

#include <deque>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::network::dense;

namespace {

/// A queue, and its packets one by one.
struct Both {
  HeadQueue queue;
  std::deque<PacketIndex> packets;

  bool equal(PacketPool& pool) const {
    PacketIndex at = queue.first();
    for (const PacketIndex packet : packets) {
      if (at != packet) return false;
      at = queue.after(at, pool);
    }
    return at == traffic::no_packet;
  }
};

}  // namespace

TEST_CASE("queues of heads whose links are in the pool are queues") {
  PacketPool pool;
  CounterRandom random(7, 3);
  std::vector<PacketIndex> outside;
  for (unsigned n = 0; n < 150; ++n) outside.push_back(pool.make_bare().detach());
  std::vector<Both> all(5);
  for (unsigned step = 0; step < 20'000; ++step) {
    Both& one = all[random.below(all.size())];
    switch (random.below(6)) {
      case 0:
      case 1:
        if (outside.empty()) break;
        one.queue.push(outside.back(), pool);
        one.packets.push_back(outside.back());
        outside.pop_back();
        break;
      case 2: {
        const PacketIndex first = one.packets.empty() ? traffic::no_packet : one.packets.front();
        REQUIRE(one.queue.pop(pool) == first);
        if (first == traffic::no_packet) break;
        one.packets.pop_front();
        outside.insert(outside.begin(), first);
        break;
      }
      case 3:
        if (outside.empty()) break;
        one.queue.push_front(outside.back(), pool);
        one.packets.push_front(outside.back());
        outside.pop_back();
        break;
      case 4:
        if (one.packets.empty()) break;
        one.queue.pull(pool);
        outside.insert(outside.begin(), one.packets.back());
        one.packets.pop_back();
        break;
      default: {
        Both& other = all[random.below(all.size())];
        if (&other == &one) break;
        one.queue.pour_into(other.queue, pool);
        other.packets.insert(other.packets.end(), one.packets.begin(), one.packets.end());
        one.packets.clear();
        REQUIRE(other.equal(pool));
      }
    }
    REQUIRE(one.equal(pool));
  }
  for (Both& one : all)
    while (one.queue.first() != traffic::no_packet) outside.push_back(one.queue.pop(pool));
  for (const PacketIndex packet : outside) pool.attach(packet).reset();
}

TEST_CASE("queues of heads keep what they hold when others are added") {
  PacketPool pool;
  HeadQueues queues;
  CHECK(queues.add(3) == 0);
  const PacketIndex packet = pool.make_bare().detach();
  queues.all()[2].push(packet, pool);
  CHECK(queues.add(1000) == 3);
  CHECK(queues.all()[1002].first() == traffic::no_packet);
  CHECK(queues.all()[2].pop(pool) == packet);
  pool.attach(packet).reset();
}
