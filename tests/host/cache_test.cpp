// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/cache.h"

#include <array>
#include <cstring>
#include <list>
#include <map>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/host/sparse_memory.h"

using namespace tsuji;
using namespace tsuji::host;

namespace {

using Bytes = std::array<unsigned char, 128>;

/// Reference cache: a list of lines for each set, least recently used first.
class NaiveCache {
 public:
  NaiveCache(std::uint64_t sets, unsigned ways, bool lru) : sets_(sets), ways_(ways), lru_(lru) {}
  struct Line {
    std::uint64_t address;
    bool dirty;
    Bytes bytes;
  };
  Line* find(std::uint64_t address, bool use) {
    auto& set = sets_of_[address / 128 % sets_];
    for (auto line = set.begin(); line != set.end(); ++line) {
      if (line->address != address / 128 * 128) continue;
      if (use && lru_) set.splice(set.end(), set, line);
      return use && lru_ ? &set.back() : &*line;
    }
    return nullptr;
  }
  Line* victim(std::uint64_t address) {
    auto& set = sets_of_[address / 128 % sets_];
    return set.size() < ways_ ? nullptr : &set.front();
  }
  void fill(std::uint64_t address, const Bytes& bytes) {
    auto& set = sets_of_[address / 128 % sets_];
    if (set.size() == ways_) set.pop_front();
    set.push_back({address / 128 * 128, false, bytes});
  }
  void drop(std::uint64_t address) {
    sets_of_[address / 128 % sets_].remove_if(
        [&](const Line& l) { return l.address == address / 128 * 128; });
  }

 private:
  std::uint64_t sets_;
  unsigned ways_;
  bool lru_;
  std::map<std::uint64_t, std::list<Line>> sets_of_;
};

/// The model's and the reference cache over equal memory, driven together.
class Pair {
 public:
  Pair(unsigned sets, unsigned ways, Replacement replacement)
      : cache_(config(sets, ways, replacement)),
        naive_(sets, ways, replacement == Replacement::lru),
        memory_(1 << 20) {}

  void access(std::uint64_t address, bool write, std::uint64_t value) {
    NaiveCache::Line* line = naive_.find(address, true);
    std::uint64_t seen = 0;
    const bool hit = write ? cache_.store(address, &value, 8) : cache_.load(address, &seen, 8);
    REQUIRE(hit == (line != nullptr));
    if (!hit) {
      fill(address);
      line = naive_.find(address, true);
      REQUIRE((write ? cache_.store(address, &value, 8) : cache_.load(address, &seen, 8)));
    }
    unsigned char* place = line->bytes.data() + address % 128;
    if (write) {
      std::memcpy(place, &value, 8);
      line->dirty = true;
    } else {
      REQUIRE(std::memcmp(place, &seen, 8) == 0);
    }
  }
  void snoop(std::uint64_t address) {
    NaiveCache::Line* line = naive_.find(address, false);
    Bytes bytes{};
    const LineState before = cache_.snoop_read(address, bytes.data());
    REQUIRE(before == (line == nullptr ? LineState::invalid
                       : line->dirty   ? LineState::dirty
                                       : LineState::clean));
    if (before != LineState::dirty) return;
    REQUIRE(bytes == line->bytes);
    memory_.write(line->address, bytes.data(), 128);
    line->dirty = false;
    REQUIRE(cache_.state(address) == LineState::clean);
  }
  void invalidate(std::uint64_t address) {
    NaiveCache::Line* line = naive_.find(address, false);
    REQUIRE((cache_.invalidate(address).state != LineState::invalid) == (line != nullptr));
    naive_.drop(address);
    REQUIRE(cache_.state(address) == LineState::invalid);
  }

 private:
  static CacheConfig config(unsigned sets, unsigned ways, Replacement replacement) {
    CacheConfig config;
    config.bytes = std::uint64_t{sets} * ways * 128;
    config.ways = ways;
    config.replacement = replacement;
    return config;
  }
  void fill(std::uint64_t address) {
    const NaiveCache::Line* expected = naive_.victim(address);
    const auto victim = cache_.dirty_victim(address);
    REQUIRE((victim.data != nullptr) == (expected != nullptr && expected->dirty));
    if (victim.data != nullptr) {
      REQUIRE(victim.line == expected->address);
      REQUIRE(std::memcmp(victim.data, expected->bytes.data(), 128) == 0);
      memory_.write(victim.line, victim.data, 128);
      cache_.invalidate(victim.line);
    }
    Bytes bytes;
    memory_.read(address / 128 * 128, bytes.data(), 128);
    cache_.fill(address, bytes.data());
    naive_.fill(address, bytes);
  }

  Cache cache_;
  NaiveCache naive_;
  SparseMemory memory_;
};

void compare_with_naive(unsigned sets, unsigned ways, Replacement replacement) {
  Pair pair(sets, ways, replacement);
  CounterRandom random(7, sets * 100 + ways);
  for (unsigned i = 0; i < 20000; ++i) {
    const std::uint64_t address = random.below(sets * ways * 3) * 128 + 8 * random.below(16);
    const auto what = random.below(20);
    if (what < 9) pair.access(address, false, 0);
    if (what >= 9 && what < 17) pair.access(address, true, random.next());
    if (what >= 17 && what < 19) pair.snoop(address);
    if (what == 19) pair.invalidate(address);
  }
}

CacheConfig tiny() {
  CacheConfig config;
  config.bytes = 4 * 2 * 128;
  return config;
}

}  // namespace

TEST_CASE("a cache equals the reference over random accesses and snoops") {
  compare_with_naive(4, 2, Replacement::lru);
  compare_with_naive(1, 4, Replacement::lru);
  compare_with_naive(16, 1, Replacement::lru);
  compare_with_naive(128, 2, Replacement::lru);
}

TEST_CASE("first in, first out replacement equals the reference, too") {
  compare_with_naive(4, 3, Replacement::fifo);
}

TEST_CASE("a watched line reports its invalidation once, and the mark leaves with the line") {
  Cache cache(tiny());
  const Bytes zero{};
  REQUIRE_FALSE(cache.watch(0));
  cache.fill(0, zero.data());
  REQUIRE(cache.watch(64));
  REQUIRE(cache.invalidate(0).watched);
  REQUIRE_FALSE(cache.invalidate(0).watched);
  cache.fill(0, zero.data());
  REQUIRE_FALSE(cache.invalidate(0).watched);
  // The watched line is replaced by another one of its set: the new line is not watched.
  cache.fill(0, zero.data());
  cache.watch(0);
  cache.fill(512, zero.data());
  cache.fill(1024, zero.data());
  REQUIRE(cache.state(0) == LineState::invalid);
  REQUIRE_FALSE(cache.invalidate(1024).watched);
}

TEST_CASE("a cache refuses to lose or double a line") {
  Cache cache(tiny());
  const Bytes zero{};
  cache.fill(0, zero.data());
  REQUIRE_THROWS_AS(cache.fill(8, zero.data()), std::logic_error);
  const std::uint64_t value = 1;
  cache.store(0, &value, 8);
  cache.fill(512, zero.data());
  REQUIRE_THROWS_AS(cache.fill(1024, zero.data()), std::logic_error);
}

TEST_CASE("an empty cache has allocated no lines") {
  Cache cache({});
  REQUIRE(cache.state(123456) == LineState::invalid);
  REQUIRE(cache.dirty_victim(123456).data == nullptr);
  REQUIRE(cache.invalidate(123456).state == LineState::invalid);
  REQUIRE(cache.lines_allocated() == 0);
}

TEST_CASE("a cache's lines have the configured size, and lie in the sets of their addresses") {
  for (const unsigned line_bytes : {8U, 32U, 128U}) {
    CacheConfig config;
    config.line_bytes = line_bytes;
    config.bytes = std::uint64_t{4} * 2 * line_bytes;  // four sets
    Cache cache(config);
    CHECK(cache.line_bytes() == line_bytes);
    CHECK(cache.line_of(5 * line_bytes + 7) == 5 * line_bytes);
    CHECK(cache.line_of(5 * line_bytes) == 5 * line_bytes);
    std::vector<unsigned char> bytes(line_bytes);
    for (unsigned i = 0; i < line_bytes; ++i) bytes[i] = static_cast<unsigned char>(i + 1);
    cache.fill(line_bytes + 3, bytes.data());
    // The first and the last byte of the line, and its neighbours.
    unsigned char byte = 0;
    CHECK(cache.load(line_bytes, &byte, 1));
    CHECK(byte == 1);
    CHECK(cache.load(2 * line_bytes - 1, &byte, 1));
    CHECK(byte == line_bytes);
    CHECK_FALSE(cache.load(line_bytes - 1, &byte, 1));
    CHECK_FALSE(cache.load(2 * line_bytes, &byte, 1));
    // Two more lines of the set, four lines apart: the third line replaces the first; other sets keep theirs.
    cache.fill(2 * line_bytes, bytes.data());
    cache.fill(5 * line_bytes, bytes.data());
    CHECK(cache.state(line_bytes) == LineState::clean);
    cache.fill(9 * line_bytes, bytes.data());
    CHECK(cache.state(line_bytes) == LineState::invalid);
    CHECK(cache.state(5 * line_bytes) == LineState::clean);
    CHECK(cache.state(2 * line_bytes) == LineState::clean);
    CHECK(cache.find_data(line_bytes) == nullptr);
    REQUIRE(cache.find_data(9 * line_bytes + 1) != nullptr);
    CHECK(*cache.find_data(9 * line_bytes + 1) == 1);
    // A place allocates its bytes once.
    CHECK(cache.lines_allocated() == 3);
  }
}

TEST_CASE("every line of a large cache has separate bytes") {
  Cache cache({});
  std::array<std::uint64_t, 16> words{};
  for (std::uint64_t line = 0; line < 300; ++line) {
    words.fill(line);
    cache.fill(line * 128, reinterpret_cast<const unsigned char*>(words.data()));
  }
  CHECK(cache.lines_allocated() == 300);
  for (std::uint64_t line = 0; line < 300; ++line) {
    std::uint64_t first = 0, last = 0;
    REQUIRE((cache.load(line * 128, &first, 8) && cache.load(line * 128 + 120, &last, 8)));
    REQUIRE((first == line && last == line));
  }
}

TEST_CASE("impossible cache configurations are refused") {
  const auto refused = [](auto change) {
    CacheConfig config;
    change(config);
    REQUIRE_THROWS_AS(Cache(config), ConfigError);
  };
  refused([](CacheConfig& c) { c.ways = 0; });
  refused([](CacheConfig& c) { c.ways = 17; });
  refused([](CacheConfig& c) { c.ways = 3; });
  refused([](CacheConfig& c) { c.line_bytes = 96; });
  refused([](CacheConfig& c) { c.line_bytes = 256; });
  refused([](CacheConfig& c) { c.bytes = 0; });
}
