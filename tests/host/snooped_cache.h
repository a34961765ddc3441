// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/cache.h"
#include "tsuji/host/memory_service.h"

namespace tsuji::host::test {

/// A cache for a memory controller to snoop, without a processor.
class SnoopedCache : public CacheSnoop {
 public:
  LineState snoop_read(std::uint64_t address, unsigned char* line) override {
    return cache.snoop_read(address, line);
  }
  void snoop_invalidate(std::uint64_t address) override { cache.invalidate(address); }
  bool write_back_granted(std::uint64_t address) override { return cache.state(address) == LineState::dirty; }
  unsigned char* debug_line(std::uint64_t address) override { return cache.find_data(address); }
  void make_dirty(std::uint64_t line, std::uint64_t value) {
    const unsigned char zero[128] = {};
    cache.fill(line, zero);
    cache.store(line, &value, 8);
  }
  Cache cache{CacheConfig{}};
};

}  // namespace tsuji::host::test
