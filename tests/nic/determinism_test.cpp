// SPDX-License-Identifier: Apache-2.0

#include "nic/rig.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1;

ClockDomainConfig clock(ProcessMode mode, std::uint64_t shuffle) {
  ClockDomainConfig config;
  config.mode = mode;
  config.shuffle_seed = shuffle;
  return config;
}

/// Both nodes send random parcels to each other; the pointers of some are written at random times.
void load(Pair& pair, std::uint64_t seed) {
  CounterRandom random(seed, 1);
  for (Node* node : {&pair.a, &pair.b}) {
    for (const unsigned set : {0, 2, 3}) node->open_set(set, cid);
    node->map(cid, 0x10000, 32);
    node->map(cid, 0x100000, 32);
    node->buffer(cid, 0, 0x100000 + 16 * page_bytes, std::uint64_t{16} * page_bytes);
    node->fill(cid, 0x10000, random_bytes(random, std::uint64_t{32} * page_bytes));
  }
  Cycle cycle = 1;
  for (unsigned i = 0; i < 120; ++i) {
    Node& node = i % 2 == 0 ? pair.a : pair.b;
    const auto length = static_cast<std::uint32_t>(4 * (1 + random.below(600)));
    ParcelHeader header = dma(0x10000 + 4 * random.below(8192), 0x100000 + 8 * random.below(4096), length,
                              static_cast<std::uint16_t>(1 - i % 2));
    if (random.below(3) == 0) {
      header.protocol = Protocol::message0;
      header.length = std::min<std::uint32_t>(header.length, 248);
    }
    header.notify = random.below(4) == 0;
    header.notification = 0x10000 + 31 * page_bytes;
    const auto set = static_cast<unsigned>(2 + random.below(2));
    pair.at(cycle, [&node, header, set] {
      node.push(set, header);
      node.ring(set);
    });
    cycle += random.below(600);
  }
}

}  // namespace

TEST_CASE("process modes, module orders and spurious wake-ups leave all cycles unchanged") {
  MemoryTimes times;
  times.stall_bound = 60;
  std::vector<std::unique_ptr<Pair>> pairs;
  pairs.push_back(std::make_unique<Pair>("fast", NicConfig{}, times, clock(ProcessMode::one_for_all, 0)));
  pairs.push_back(std::make_unique<Pair>("each", NicConfig{}, times, clock(ProcessMode::process_each, 0)));
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    pairs.push_back(std::make_unique<Pair>("shuffled" + std::to_string(seed), NicConfig{}, times,
                                           clock(ProcessMode::one_for_all, seed)));
  }
  pairs.push_back(std::make_unique<Pair>("woken", NicConfig{}, times, clock(ProcessMode::one_for_all, 0)));
  elaborate();
  for (auto& pair : pairs) load(*pair, 41);
  // Writing an unchanged write pointer wakes the Sender.
  for (Node* node : {&pairs.back()->a, &pairs.back()->b})
    for (Cycle cycle = 1; cycle < 40000; ++cycle) pairs.back()->at(cycle, [node] { node->ring(0); });
  pairs[0]->run();
  for (auto& pair : pairs) {
    pair->domain.rethrow_failure();
    CHECK(pair->a.deliveries.size() > 100);
    CHECK(pair->a.deliveries == pairs[0]->a.deliveries);
    CHECK(pair->b.deliveries == pairs[0]->b.deliveries);
    CHECK(pair->a.memory.log == pairs[0]->a.memory.log);
    CHECK(pair->b.memory.log == pairs[0]->b.memory.log);
    for (auto node : {&Pair::a, &Pair::b}) {
      for (const std::uint64_t at : {0x10000, 0x100000}) {
        CHECK(((*pair).*node).bytes(cid, at, std::uint64_t{32} * page_bytes) ==
              ((*pairs[0]).*node).bytes(cid, at, std::uint64_t{32} * page_bytes));
      }
      CHECK(((*pair).*node).nic.sender_counters().room_blocked_cycles ==
            ((*pairs[0]).*node).nic.sender_counters().room_blocked_cycles);
    }
  }
}
