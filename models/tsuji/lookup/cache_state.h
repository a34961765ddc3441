// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/lookup/routing_table_cache.h"

namespace tsuji::lookup {

/// A route entry on 32 wires: virtual channels in the upper 16 bits, port in the lower 16.
inline std::uint32_t on_wires(RouteEntry entry) {
  return std::uint32_t{entry.vcs} << 16 | entry.port;
}
inline RouteEntry from_wires(std::uint32_t wires) {
  return {static_cast<std::uint16_t>(wires), static_cast<std::uint16_t>(wires >> 16)};
}

/// Inputs of a cache in a cycle.
struct CacheInputs {
  bool reset = false, flush = false;
  bool lookup_valid = false, fill_valid = false;
  std::uint64_t lookup_key = 0, fill_key = 0;
  std::uint32_t lookup_set = 0, fill_set = 0, fill_entry = 0;
};
struct CacheOutputs {
  bool answer_valid = false, answer_hit = false;
  std::uint32_t answer_entry = 0;  ///< as on_wires() encodes it
  bool fill_replaced = false;      ///< the last cycle's fill replaced another key
  std::uint32_t entries_held = 0;
};

/// RoutingTableCache with timing, one clock edge per call: one access per cycle, with the answer after
/// `access_cycles`. A fill comes before the look-up of its cycle, a flush after it.
class CacheState {
 public:
  /// `shape` outlives the cache; `seed` and `component` are those of RoutingTableCache. `access_cycles` >= 1.
  explicit CacheState(const CacheShape& shape, std::uint64_t seed = 0, std::uint64_t component = 0,
                      Cycle access_cycles = 1);
  /// Clock edge at the end of a cycle with `in` at the inputs; returns the outputs of the next cycle.
  CacheOutputs step(const CacheInputs& in);
  /// Hit or miss of the look-up at the last edge, known before the answer is at the outputs.
  bool found() const { return found_; }
  RoutingTableCache& cache() { return cache_; }
  const RoutingTableCache& cache() const { return cache_; }

 private:
  struct Answer {
    bool valid = false, hit = false;
    std::uint32_t entry = 0;
  };
  Answer look(const CacheInputs& in);
  Answer delayed(Answer answer);

  RoutingTableCache cache_;
  std::vector<Answer> line_;  ///< pipeline of answers, one per cycle
  std::size_t place_ = 0;
  bool found_ = false;
};

}  // namespace tsuji::lookup
