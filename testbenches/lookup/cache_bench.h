// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/stimulus.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/routing_table_cache.h"

namespace tsuji::bench {

struct CachePins {
  unsigned set_bits;
  template <class Module>
  void list(Module& module, PinList& pins) const {
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("lookup_valid", 1, module.lookup_valid);
    pins.in("lookup_key", 64, module.lookup_key);
    pins.in("lookup_set", set_bits, module.lookup_set);
    pins.in("fill_valid", 1, module.fill_valid);
    pins.in("fill_key", 64, module.fill_key);
    pins.in("fill_set", set_bits, module.fill_set);
    pins.in("fill_entry", 32, module.fill_entry);
    pins.in("flush", 1, module.flush);
    pins.out("answer_valid", 1, module.answer_valid);
    pins.out("answer_hit", 1, module.answer_hit);
    pins.out("answer_entry", 32, module.answer_entry);
    pins.out("fill_replaced", 1, module.fill_replaced);
    pins.out("entries_held", 16, module.entries_held);
  }
};

/// Stimulus: keys of 64 random bits in one set, or spread over all; one more key than ways, so that the order
/// of every use counts, or more; keys one bit away from another, in the same set; the same keys in several
/// sets; look-up and fill of one key or one set in a cycle; fills of what is there; flushes in between.
class CacheStimulus final : public Stimulus {
 public:
  CacheStimulus(const Drive& pins, std::uint64_t seed, const lookup::RoutingTableCacheConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  void draw_keys();
  std::uint64_t key(Cycle phase);
  std::uint64_t near_miss(std::uint64_t key, unsigned one_in);
  CounterRandom random_;
  const unsigned sets_, ways_;
  std::vector<std::uint64_t> keys_;  ///< keys of the present phase
  std::size_t reset_, lookup_valid_, lookup_key_, lookup_set_;
  std::size_t fill_valid_, fill_key_, fill_set_, fill_entry_, flush_;
};

}  // namespace tsuji::bench
