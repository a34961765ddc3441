// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// The patterns listed in CMakeLists.txt.
PatternKinds pattern_kinds();

/// Parameters of the pattern `hotspot`.
struct HotspotConfig {
  std::vector<unsigned> hotspots;  ///< Nodes that receive the hotspot share.
  double hotspot_share = 0.1;      ///< Fraction of every node's packets that go to hotspots, in [0, 1].

  /// Binds the members to their keys.
  void add_keys(config::KeyTable& keys);
  /// Throws ConfigError for parameters out of range.
  void validate() const;
  /// Makes the pattern. Throws ConfigError for a hotspot that is no node of the network.
  std::unique_ptr<Pattern> make(const PatternConfig& config) const;
};

/// Parameters of the pattern `matrix`.
struct MatrixConfig {
  std::string matrix;  ///< File in the format of traffic_matrix.h.

  /// Binds the file name to its key.
  void add_keys(config::KeyTable& keys);
  /// Reads the file and makes the pattern. Throws ConfigError with file and line for malformed contents.
  std::unique_ptr<Pattern> make(const PatternConfig& config) const;
};

}  // namespace tsuji::workload
