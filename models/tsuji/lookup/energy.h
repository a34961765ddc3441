// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Energy of route look-ups: Hirasawa 2020, section 7.1 (caches by CACTI 6.5, the memory after its
/// references 25, 26).
struct LookupEnergy {
  double cache_nj = 0.039;  ///< an access of a port's cache
  double cam_nj = 42;       ///< an access of the memory
  /// A comparison with an entry of a compact table: an estimate, not a figure of the paper (rooms/lookup.md,
  /// Searches of compact tables).
  double compared_entry_nj = 0.0016;
  double cache_static_mw = 13;  ///< of each port's cache
  double cam_static_mw = 36;

  /// Accesses times energies, in nJ.
  double dynamic_nj(const LookupCounters& counters, bool has_caches) const {
    const double accesses = has_caches ? static_cast<double>(counters.cache.lookups) : 0.0;
    return accesses * cache_nj + static_cast<double>(counters.cam_accesses) * cam_nj +
           static_cast<double>(counters.entries_compared) * compared_entry_nj;
  }
  /// Static power of `cams` memories and `caches`, in mW.
  double static_mw(std::uint64_t cams, std::uint64_t caches) const {
    return static_cast<double>(caches) * cache_static_mw + static_cast<double>(cams) * cam_static_mw;
  }
};

}  // namespace tsuji::lookup
