// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// The patterns of CMakeLists.txt.
PatternKinds pattern_kinds();

/// The parameters of the pattern hotspot.
struct HotspotConfig {
  std::vector<unsigned> hotspots;
  double hotspot_share = 0.1;  ///< of every node's packets, [0, 1]

  void add_keys(config::KeyTable& keys);
  void validate() const;
  std::unique_ptr<Pattern> make(const PatternConfig& config) const;
};

/// The parameters of the pattern matrix.
struct MatrixConfig {
  std::string matrix;  ///< file, see traffic_matrix.h

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<Pattern> make(const PatternConfig& config) const;
};

}  // namespace tsuji::workload
