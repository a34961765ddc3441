// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Energy per operation of route look-ups (Hirasawa 2020, section 7.1: caches by CACTI 6.5, the memory by its
/// references 25 and 26).
struct LookupEnergy {
  double cache_nj = 0.039;  ///< nJ per access of a port's cache
  double cam_nj = 42;       ///< nJ per access of the memory
  /// nJ per comparison with an entry of a compact table: an estimate, not a figure of the paper.
  /// 0.6 pJ for two subtractions and products of 8 bits, a sum and a comparison of 16 (after M. Horowitz,
  /// Computing's energy problem, ISSCC 2014, 45 nm), and 1 pJ for reading the entry.
  double compared_entry_nj = 0.0016;
  double cache_static_mw = 13;  ///< static power of each port's cache in mW
  double cam_static_mw = 36;

  /// Dynamic energy in nJ: number of accesses times energy per access.
  double dynamic_nj(const LookupCounters& counters, bool has_caches) const {
    const double accesses = has_caches ? static_cast<double>(counters.cache.lookups) : 0.0;
    return accesses * cache_nj + static_cast<double>(counters.cam_accesses) * cam_nj +
           static_cast<double>(counters.entries_compared) * compared_entry_nj;
  }
  /// Static power in mW of `cams` memories and `caches` caches.
  double static_mw(std::uint64_t cams, std::uint64_t caches) const {
    return static_cast<double>(caches) * cache_static_mw + static_cast<double>(cams) * cam_static_mw;
  }
};

}  // namespace tsuji::lookup
