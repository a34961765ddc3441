// SPDX-License-Identifier: Apache-2.0

#include "nic/rig.h"
#include "support/catch.h"
#include "support/recorded_wave.h"

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

/// Both nodes send random parcels to each other; the pointers of some are written at random times. `pauses`:
/// greatest time between two of them.
void load(Pair& pair, std::uint64_t seed, Cycle pauses = 600) {
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
    const std::uint64_t copies = 1 + random.below(3);
    const bool after_word = random.below(3) == 0;  // SPM sends a word without the port
    pair.at(cycle, [&node, header, set, copies, after_word] {
      if (after_word) node.push(set, inline_word(header.source, 0x100000 + 8, header.logical_pe));
      for (std::uint64_t copy = 0; copy < copies; ++copy) node.push(set, header);
      node.ring(set);
    });
    cycle += random.below(pauses);
  }
}

void check_equal(Pair& pair, Pair& reference) {
  pair.domain.rethrow_failure();
  CHECK(pair.a.deliveries.size() > 100);
  for (auto node : {&Pair::a, &Pair::b}) {
    Node &own = pair.*node, &other = reference.*node;
    CHECK(own.deliveries == other.deliveries);
    CHECK(own.memory.log == other.memory.log);
    for (const std::uint64_t at : {0x10000, 0x100000})
      CHECK(own.bytes(cid, at, std::uint64_t{32} * page_bytes) ==
            other.bytes(cid, at, std::uint64_t{32} * page_bytes));
    const SenderCounters &sent = own.nic.sender_counters(), &expected = other.nic.sender_counters();
    CHECK(sent.room_blocked_cycles == expected.room_blocked_cycles);
    CHECK(sent.memory_requests == expected.memory_requests);
    CHECK(sent.translations.hits == expected.translations.hits);
    CHECK(sent.translations.misses == expected.translations.misses);
    CHECK(own.nic.receiver_counters().memory_requests == other.nic.receiver_counters().memory_requests);
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
  for (auto& pair : pairs) check_equal(*pair, *pairs[0]);
}

namespace {

/// Random times of an interface.
NicConfig random_times(CounterRandom& random) {
  NicConfig config;
  for (Cycle* cycles :
       {&config.sender.select_queue_cycles, &config.sender.check_header_cycles,
        &config.sender.set_port_cycles, &config.sender.choose_cycles, &config.sender.translate_cycles,
        &config.sender.build_header_cycles, &config.receiver.check_cycles, &config.receiver.place_cycles,
        &config.receiver.translate_cycles})
    *cycles = 1 + random.below(5);
  // RHM and SPM then want their port in one cycle.
  if (random.below(2) == 0)
    config.sender.select_queue_cycles =
        config.sender.choose_cycles + config.sender.translate_cycles + config.sender.build_header_cycles;
  config.sender.read_ahead_packets = static_cast<unsigned>(1 + random.below(config.sender.fifo_packets));
  return config;
}

/// Clears the TLBs of both nodes at random cycles.
void flush_at_random(Pair& pair, std::uint64_t seed) {
  CounterRandom random(seed, 2);
  for (Cycle cycle = 1; cycle < 60000; cycle += 1 + random.below(60)) {
    Node& node = random.below(2) == 0 ? pair.a : pair.b;
    pair.at(cycle, [&node] { node.write(common_os_base + flush_tlbs, 1); });
  }
}

}  // namespace

TEST_CASE("work that is done ahead of its cycle takes the cycles of work in its own cycle") {
  // With a waveform each step is done in its cycle, and requests come in theirs.
  std::vector<std::unique_ptr<Pair>> ahead, in_turn;
  RecordedWave wave;
  constexpr unsigned rounds = 16;
  for (unsigned round = 0; round < rounds; ++round) {
    CounterRandom random(7, round);
    const NicConfig config = random_times(random);
    MemoryTimes times;
    times.stall_bound = round % 2 == 0 ? 0 : 20;
    in_turn.push_back(std::make_unique<Pair>("in_turn" + std::to_string(round), config, times));
    times.takes_delays = true;
    ahead.push_back(std::make_unique<Pair>("ahead" + std::to_string(round), config, times));
    for (Node* node : {&in_turn.back()->a, &in_turn.back()->b}) node->nic.add_wave(wave);
  }
  elaborate();
  unsigned delayed = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    for (Pair* pair : {ahead[round].get(), in_turn[round].get()}) {
      load(*pair, round, round % 4 < 2 ? 600 : 2000);
      if (round % 3 != 0) flush_at_random(*pair, round);
    }
  }
  ahead[0]->run();
  for (unsigned round = 0; round < rounds; ++round) {
    check_equal(*ahead[round], *in_turn[round]);
    CHECK(in_turn[round]->a.memory.delayed == 0);
    delayed += ahead[round]->a.memory.delayed;
  }
  CHECK(delayed > 100);
}

TEST_CASE("a flush of translations takes effect in its cycle, also for a parcel that was chosen ahead") {
  constexpr Cycle flushes = 60, second = 2000;
  NicConfig config;
  config.sender.set_port_cycles = 4;
  std::vector<std::unique_ptr<Pair>> ahead, in_turn;
  RecordedWave wave;
  for (Cycle flush = 0; flush < flushes; ++flush) {
    ahead.push_back(std::make_unique<Pair>("ahead" + std::to_string(flush), config));
    in_turn.push_back(std::make_unique<Pair>("in_turn" + std::to_string(flush), config));
    in_turn.back()->a.nic.add_wave(wave);
  }
  elaborate();
  for (Cycle flush = 0; flush < flushes; ++flush) {
    for (Pair* pair : {ahead[flush].get(), in_turn[flush].get()}) {
      for (Node* node : {&pair->a, &pair->b}) {
        node->open_set(2, cid);
        node->map(cid, 0x10000, 1);
      }
      // The second and third parcel find their page in the TLB, unless it is flushed in time.
      for (const Cycle at : {Cycle{1}, second, second + 1000}) {
        pair->at(at, [pair] {
          pair->a.push(2, dma(0x10000, 0x10000, 8));
          pair->a.ring(2);
        });
      }
      pair->at(second + flush, [pair] { pair->a.write(common_os_base + flush_tlbs, 1); });
    }
  }
  ahead[0]->run();
  for (Cycle flush = 0; flush < flushes; ++flush) {
    INFO(flush);
    const Node &own = ahead[flush]->a, &other = in_turn[flush]->a;
    CHECK(ahead[flush]->b.deliveries.size() == 3);
    CHECK(ahead[flush]->b.deliveries == in_turn[flush]->b.deliveries);
    CHECK(own.memory.log == other.memory.log);
    for (const Node* node : {&own, &other}) {
      CHECK(node->nic.sender_counters().translations.misses == 2);
      CHECK(node->nic.sender_counters().translations.hits == 1);
    }
  }
  // The first flush comes before the second parcel's choice, and the last one after it.
  CHECK(!(ahead.front()->b.deliveries[1] == ahead.back()->b.deliveries[1]));
}
