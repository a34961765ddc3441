// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// The patterns listed in CMakeLists.txt.
PatternKinds pattern_kinds();

/// Parameters of the pattern `hotspot`.
struct HotspotConfig {
  std::vector<unsigned> hotspots;
  double hotspot_share = 0.1;  ///< Fraction of every node's packets that go to hotspots, in [0, 1].

  void add_keys(config::KeyTable& keys);
  void validate() const;
  std::unique_ptr<Pattern> make(const PatternConfig& config) const;
};

/// Parameters of the pattern `matrix`.
struct MatrixConfig {
  std::string matrix;  ///< File in the format of traffic_matrix.h.

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<Pattern> make(const PatternConfig& config) const;
};

}  // namespace tsuji::workload
