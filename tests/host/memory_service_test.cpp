// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/memory_service.h"

#include <array>

#include "host/snooped_cache.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/host/sparse_memory.h"

using namespace tsuji;
using namespace tsuji::host;

namespace {

class Store final : public MemoryStore {
 public:
  bool contains(std::uint64_t address, std::uint64_t count) const override {
    return memory.contains(address, count);
  }
  void read(std::uint64_t address, void* to, unsigned count) override { memory.read(address, to, count); }
  void write(std::uint64_t address, const void* from, unsigned count) override {
    memory.write(address, from, count);
  }
  unsigned debug(bool write, std::uint64_t address, unsigned char* data, unsigned count) override {
    write ? memory.write(address, data, count) : memory.read(address, data, count);
    return count;
  }
  SparseMemory memory{1 << 20};
};

class Snooped final : public host::test::SnoopedCache {
 public:
  bool write_back_granted(std::uint64_t address) override {
    const bool dirty = SnoopedCache::write_back_granted(address);
    if (dirty) cache.invalidate(address);
    return dirty;
  }
};

constexpr std::uint64_t line = 0x1000;

/// Performs a request on a line that holds `memory` in main memory and, if dirty, `cached` in the cache.
MemoryService::Cost perform(MemoryService& service, const MemoryService::Request& request) {
  service.ask_cache(request);
  return service.move(request, nullptr);
}

struct Node {
  explicit Node(const MemoryControllerConfig& config = {}) : service(config, ClockPeriod(12500), store) {
    service.bind_cache(snooped);
  }
  /// Reads a dirty line other than `line`.
  void take_out_another() {
    std::array<unsigned char, 128> bytes{};
    snooped.cache.fill(line + 0x100, bytes.data());
    snooped.cache.store(line + 0x100, bytes.data(), 8);
    MemoryService::Request request{MemoryAccessKind::coherent_read, MemoryInitiator::sender, line + 0x100,
                                   128, bytes.data()};
    perform(service, request);
  }
  void put(LineState state) {
    snooped.cache.invalidate(line);
    for (unsigned w = 0; w < 16; ++w) {
      const std::uint64_t old = 1000 + w;
      store.memory.write(line + 8 * w, &old, 8);
    }
    if (state == LineState::invalid) return;
    std::array<unsigned char, 128> bytes;
    store.memory.read(line, bytes.data(), 128);
    snooped.cache.fill(line, bytes.data());
    for (unsigned w = 0; state == LineState::dirty && w < 16; ++w) {
      const std::uint64_t fresh = 2000 + w;
      snooped.cache.store(line + 8 * w, &fresh, 8);
    }
  }
  MemoryService::Cost access(MemoryAccessKind kind, unsigned word, unsigned words,
                             MemoryInitiator initiator = MemoryInitiator::sender) {
    MemoryService::Request request{kind, initiator, line + 8 * word, 8 * words, nullptr};
    request.data = reinterpret_cast<unsigned char*>(data.data());
    REQUIRE(service.check(request) == tlm::TLM_OK_RESPONSE);
    return perform(service, request);
  }
  std::uint64_t memory_word(unsigned word) {
    std::uint64_t value = 0;
    store.memory.read(line + 8 * word, &value, 8);
    return value;
  }
  Store store;
  Snooped snooped;
  MemoryService service;
  std::array<std::uint64_t, 16> data{};
};

void require_cost(const MemoryService::Cost& cost, Cycle first, Cycle last, Cycle occupied) {
  REQUIRE(cost.first_word == first);
  REQUIRE(cost.last_word == last);
  REQUIRE(cost.occupied == occupied);
}

using Kind = MemoryAccessKind;

}  // namespace

TEST_CASE("memory service: reads in each state of the cache") {
  Node node;
  for (const auto state : {LineState::invalid, LineState::clean}) {
    node.put(state);
    require_cost(node.access(Kind::coherent_read, 0, 16), 13 + 8, 13 + 8 + 15, 13 + 8 + 15);
    REQUIRE(node.data[15] == 1015);
    require_cost(node.access(Kind::coherent_read, 3, 4), 13 + 8, 13 + 8 + 3, 13 + 8 + 3);
    REQUIRE(node.data[0] == 1003);
    require_cost(node.access(Kind::noncoherent_read, 3, 1), 8, 8, 8);
    REQUIRE(node.snooped.cache.state(line) == state);
  }
  node.put(LineState::dirty);
  require_cost(node.access(Kind::noncoherent_read, 0, 16), 8, 23, 23);
  REQUIRE(node.data[5] == 1005);  // stale: a noncoherent read does not snoop
  require_cost(node.access(Kind::coherent_read, 0, 16), 34, 49, 49);
  REQUIRE(node.data[5] == 2005);
  REQUIRE(node.snooped.cache.state(line) == LineState::clean);
  REQUIRE(node.memory_word(5) == 2005);
  require_cost(node.access(Kind::coherent_read, 0, 16), 21, 36, 36);
  node.put(LineState::dirty);
  require_cost(node.access(Kind::coherent_read, 12, 4), 34, 37, 49);  // the whole line is flushed
  REQUIRE(node.data[0] == 2012);
  REQUIRE(node.memory_word(0) == 2000);
  REQUIRE(node.service.counters().dirty_answers == 2);
  REQUIRE(node.service.counters().clean_answers == 3);
  REQUIRE(node.service.counters().absent_answers == 2);
}

TEST_CASE("memory service: a line just taken out dirty has a separate answer time") {
  MemoryControllerConfig config;
  config.flushed_answer_ns = 360;  // 29 cycles, where a clean line takes 13
  Node node(config);
  node.put(LineState::dirty);
  require_cost(node.access(Kind::coherent_read, 0, 16), 34, 49, 49);
  for (int turn = 0; turn < 2; ++turn)  // until another dirty line is taken out
    require_cost(node.access(Kind::coherent_read, 0, 16), 29 + 8, 29 + 23, 29 + 23);
  require_cost(node.access(Kind::noncoherent_read, 0, 1), 8, 8, 8);
  require_cost(node.access(Kind::coherent_write, 2, 2), 29 + 8 + 3, 29 + 8 + 4, 29 + 8 + 4);
  // The write has invalidated the line, and a line that was not dirty is clean.
  for (const auto state : {LineState::invalid, LineState::clean}) {
    if (state == LineState::clean) {
      node.put(LineState::dirty);
      node.access(Kind::coherent_read, 0, 16);
      node.take_out_another();
    }
    require_cost(node.access(Kind::coherent_read, 0, 16), 21, 36, 36);
  }
}

TEST_CASE("memory service: writes in each state of the cache") {
  Node node;
  for (const auto state : {LineState::invalid, LineState::clean, LineState::dirty}) {
    const bool dirty = state == LineState::dirty;
    node.put(state);
    node.data.fill(7);
    require_cost(node.access(Kind::coherent_write, 0, 16), 3, 18, 18);
    REQUIRE(node.memory_word(0) == 7);
    REQUIRE(node.snooped.cache.state(line) == LineState::invalid);

    node.put(state);
    const Cycle before = dirty ? 49 : 13 + 8;
    require_cost(node.access(Kind::coherent_write, 2, 2), before + 3, before + 4, before + 4);
    REQUIRE(node.memory_word(1) == (dirty ? 2001 : 1001));  // merged
    REQUIRE(node.memory_word(2) == 7);
    REQUIRE(node.memory_word(3) == 7);
    REQUIRE(node.memory_word(4) == (dirty ? 2004 : 1004));
    REQUIRE(node.snooped.cache.state(line) == LineState::invalid);

    node.put(state);
    require_cost(node.access(Kind::atomic_add, 9, 1), before + 3, before + 3, before + 3);
    REQUIRE(node.service.old_value() == (dirty ? 2009 : 1009));
    REQUIRE(node.data[0] == 7);
    REQUIRE(node.memory_word(9) == (dirty ? 2016 : 1016));
    REQUIRE(node.memory_word(10) == (dirty ? 2010 : 1010));
    REQUIRE(node.snooped.cache.state(line) == LineState::invalid);

    node.put(state);
    node.data[0] = 7;
    require_cost(node.access(Kind::swap, 9, 1), before + 3, before + 3, before + 3);
    REQUIRE(node.service.old_value() == (dirty ? 2009 : 1009));
    REQUIRE(node.data[0] == 7);
    REQUIRE(node.memory_word(9) == 7);
    REQUIRE(node.memory_word(10) == (dirty ? 2010 : 1010));
    REQUIRE(node.snooped.cache.state(line) == LineState::invalid);

    // Compare and swap at the last word of the line, too.
    for (const bool equal : {false, true}) {
      node.put(state);
      const std::uint64_t old = dirty ? 2015 : 1015;
      node.data = {};
      node.data[0] = equal ? old : old + 1;
      node.data[1] = 5;
      auto* const data = reinterpret_cast<unsigned char*>(node.data.data());
      require_cost(
          perform(node.service, {Kind::compare_swap, MemoryInitiator::receiver, line + 120, 16, data}),
          before + 3, before + 3, before + 3);
      REQUIRE(node.service.old_value() == old);
      REQUIRE(node.data[0] == (equal ? old : old + 1));
      REQUIRE(node.memory_word(15) == (equal ? 5 : old));
      REQUIRE(node.snooped.cache.state(line) == LineState::invalid);
    }

    node.put(state);
    node.data.fill(8);
    require_cost(node.access(Kind::noncoherent_write, 0, 2), 3, 4, 4);
    REQUIRE(node.memory_word(0) == 8);
    REQUIRE(node.snooped.cache.state(line) == state);
  }
}

TEST_CASE("memory service: words of 4 bytes take the time of their 8-byte words") {
  Node node;
  const auto access = [&](Kind kind, std::uint64_t at, unsigned bytes) {
    auto* data = reinterpret_cast<unsigned char*>(node.data.data());
    return perform(node.service, {kind, MemoryInitiator::receiver, line + at, bytes, data});
  };
  for (const auto state : {LineState::invalid, LineState::dirty}) {
    const bool dirty = state == LineState::dirty;
    const Cycle before = dirty ? 49 : 13 + 8;
    const std::uint64_t old = dirty ? 2000 : 1000;
    node.data.fill(0x0000000700000009);
    node.put(state);
    require_cost(access(Kind::coherent_write, 4, 4), before + 3, before + 3, before + 3);
    REQUIRE(node.memory_word(0) == (std::uint64_t{9} << 32 | old));
    REQUIRE(node.memory_word(1) == old + 1);
    node.put(state);
    require_cost(access(Kind::coherent_write, 16, 12), before + 3, before + 4, before + 4);
    REQUIRE(node.memory_word(2) == 0x0000000700000009);
    REQUIRE(node.memory_word(3) == 9);  // the upper half was 0
    REQUIRE(node.memory_word(4) == old + 4);
    node.put(state);
    require_cost(access(Kind::noncoherent_read, 4, 8), 8, 9, 9);  // parts of two
  }
}

TEST_CASE("memory service: an overtaken write-back of a processor writes nothing") {
  Node node;
  node.put(LineState::dirty);
  node.data.fill(9);
  node.access(Kind::noncoherent_write, 0, 16, MemoryInitiator::processor);
  REQUIRE(node.memory_word(0) == 9);
  REQUIRE(node.snooped.cache.state(line) == LineState::invalid);
  node.put(LineState::dirty);
  node.data.fill(10);
  node.access(Kind::coherent_write, 0, 16, MemoryInitiator::receiver);  // newer than what is written back
  node.data.fill(9);
  require_cost(node.access(Kind::noncoherent_write, 0, 16, MemoryInitiator::processor), 3, 18, 18);
  REQUIRE(node.memory_word(0) == 10);
  REQUIRE(node.service.counters().write_backs == 1);
  REQUIRE(node.service.counters().void_write_backs == 1);
}

TEST_CASE("memory service: invalid requests") {
  Node node;
  unsigned char data[128] = {};
  const auto status = [&](Kind kind, std::uint64_t address, unsigned bytes) {
    return node.service.check({kind, MemoryInitiator::sender, address, bytes, data});
  };
  REQUIRE(status(Kind::noncoherent_read, 0, 128) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 120, 8) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, (1 << 20) - 8, 8) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::coherent_write, (1 << 20) - 128, 128) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 0, 16) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::atomic_add, 8, 8) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 120, 16) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 0, 136) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 0, 0) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 0, 10) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 124, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 4, 8) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::coherent_write, 124, 4) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::coherent_write, 0, 12) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::swap, 120, 8) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::compare_swap, 120, 16) == tlm::TLM_OK_RESPONSE);
  REQUIRE(status(Kind::atomic_add, 0, 16) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::swap, 0, 16) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::compare_swap, 0, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::atomic_add, 0, 4) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 6, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(status(Kind::atomic_add, 4, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(status(Kind::compare_swap, 12, 16) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, 1 << 20, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(status(Kind::noncoherent_read, ~7ULL, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("memory service: requests are counted by kind and initiator, and their cycles add up") {
  Node node;
  node.put(LineState::invalid);
  Cycle busy = 0;
  std::array<std::array<std::uint64_t, memory_initiators>, memory_access_kinds> expected{};
  for (unsigned kind = 0; kind < memory_access_kinds; ++kind) {
    for (unsigned initiator = 0; initiator < memory_initiators; ++initiator) {
      for (unsigned times = 0; times < 1 + kind + 5 * initiator; ++times) {
        ++expected[kind][initiator];
        const unsigned words = static_cast<Kind>(kind) == Kind::compare_swap ? 2 : 1;
        busy +=
            node.access(static_cast<Kind>(kind), 3, words, static_cast<MemoryInitiator>(initiator)).occupied;
      }
    }
  }
  const MemoryControllerCounters& counters = node.service.counters();
  REQUIRE(counters.requests == expected);
  REQUIRE(counters.busy_cycles == busy);
  const MemoryService::Cost refusal = node.service.refuse();
  require_cost(refusal, 1, 1, 1);
  REQUIRE(counters.refused == 1);
  REQUIRE(counters.busy_cycles == busy + 1);
}

TEST_CASE("memory service: without a cache every line is absent, and a write-back goes to memory") {
  Store store;
  MemoryService service({}, ClockPeriod(12500), store);
  std::array<std::uint64_t, 16> data{};
  auto* bytes = reinterpret_cast<unsigned char*>(data.data());
  const auto access = [&](Kind kind, unsigned count) {
    return perform(service, {kind, MemoryInitiator::processor, line, count, bytes});
  };
  data.fill(4);
  require_cost(access(Kind::noncoherent_write, 128), 3, 18, 18);
  data.fill(0);
  require_cost(access(Kind::coherent_read, 128), 21, 36, 36);
  REQUIRE(data[15] == 4);
  data[0] = 3;
  require_cost(access(Kind::atomic_add, 8), 24, 24, 24);
  REQUIRE(service.old_value() == 4);
  REQUIRE(data[0] == 3);
  data[0] = 0;
  require_cost(access(Kind::coherent_write, 16), 24, 25, 25);
  std::uint64_t word = 1;
  store.memory.read(line, &word, 8);
  REQUIRE(word == 0);
  REQUIRE(service.debug(false, line + 16, bytes, 8) == 8);
  REQUIRE(data[0] == 4);
  REQUIRE(service.counters().absent_answers == 3);
  REQUIRE(service.counters().write_backs + service.counters().void_write_backs == 0);
}

TEST_CASE("memory service: debug access reads and writes the newest bytes and changes no state") {
  Node node;
  node.put(LineState::dirty);
  std::uint64_t words[20] = {};
  auto* bytes = reinterpret_cast<unsigned char*>(words);
  REQUIRE(node.service.debug(false, line - 8, bytes, 160) == 160);
  REQUIRE((words[0] == 0 && words[1] == 2000 && words[16] == 2015 && words[17] == 0));
  words[0] = 5;
  REQUIRE(node.service.debug(true, line, bytes, 8) == 8);
  REQUIRE(node.snooped.cache.state(line) == LineState::dirty);
  REQUIRE(node.service.debug(false, line, bytes, 8) == 8);
  REQUIRE(words[0] == 5);
  REQUIRE(node.service.debug(false, (1 << 20) - 64, bytes, 160) == 64);
  REQUIRE(node.service.counters().busy_cycles == 0);
}

TEST_CASE("memory service: each time rounds up to cycles, and invalid ones are refused") {
  Store store;
  MemoryControllerConfig config;
  config.memory_first_word_ns = 101;
  config.memory_word_ns = 13;
  MemoryService service(config, ClockPeriod(12500), store);
  unsigned char data[24] = {};
  require_cost(perform(service, {Kind::noncoherent_read, MemoryInitiator::sender, 0, 24, data}), 9, 13, 13);
  for (auto time : {&MemoryControllerConfig::dirty_word_ns, &MemoryControllerConfig::memory_first_word_ns,
                    &MemoryControllerConfig::memory_word_ns, &MemoryControllerConfig::refusal_ns}) {
    MemoryControllerConfig bad;
    bad.*time = 0;
    REQUIRE_THROWS_AS(bad.validate(), ConfigError);
  }
  MemoryControllerConfig bad;
  bad.clean_answer_ns = -1;
  REQUIRE_THROWS_AS(bad.validate(), ConfigError);
}

TEST_CASE("memory service: random coherent traffic equals a flat reference memory") {
  Node node;
  std::array<std::uint64_t, 64 * 16> flat{};
  CounterRandom random(3, 3);
  Cache& cache = node.snooped.cache;
  for (unsigned i = 0; i < 20000; ++i) {
    const auto index = random.below(flat.size());
    const std::uint64_t address = line + 8 * index;
    const std::uint64_t value = random.next();
    auto* data = reinterpret_cast<unsigned char*>(node.data.data());
    const auto access = [&](Kind kind, std::uint64_t at, unsigned bytes) {
      perform(node.service, {kind, MemoryInitiator::receiver, at, bytes, data});
    };
    switch (random.below(7)) {
      case 0:  // the processor stores
        if (cache.state(address) == LineState::invalid) {
          unsigned char bytes[128];
          node.store.memory.read(address / 128 * 128, bytes, 128);
          cache.fill(address, bytes);
        }
        cache.store(address, &value, 8);
        flat[index] = value;
        break;
      case 1:
        access(Kind::coherent_read, address, 8);
        REQUIRE(node.data[0] == flat[index]);
        break;
      case 2:
        node.data[0] = value;
        access(Kind::coherent_write, address, 8);
        flat[index] = value;
        break;
      case 3:
        for (unsigned w = 0; w < 16; ++w) node.data[w] = flat[index / 16 * 16 + w] = value + w;
        access(Kind::coherent_write, address / 128 * 128, 128);
        break;
      case 4:
        node.data[0] = value;
        access(Kind::atomic_add, address, 8);
        REQUIRE(node.service.old_value() == flat[index]);
        flat[index] += value;
        break;
      case 5:
        node.data[0] = value;
        access(Kind::swap, address, 8);
        REQUIRE(node.service.old_value() == flat[index]);
        flat[index] = value;
        break;
      default: {
        const bool equal = random.below(2) == 0;
        node.data[0] = flat[index] ^ (equal ? 0U : 1U);
        node.data[1] = value;
        access(Kind::compare_swap, address, 16);
        REQUIRE(node.service.old_value() == flat[index]);
        if (equal) flat[index] = value;
      }
    }
  }
}
