// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/traffic/congestion_kinds.h"

namespace tsuji::network {

/// Congestion control of all nodes of a network.
struct CongestionConfig {
  std::string kind = "none";                                     ///< A word of `kinds`.
  traffic::CongestionKinds kinds = traffic::congestion_kinds();  ///< Kinds with their parameters.

  /// True if nodes hold packets back.
  bool on() const { return kind != "none"; }
  /// True if routers mark packets and receivers acknowledge them.
  bool acknowledges() const { return kinds.traits(kind).acknowledges; }
  /// Longest packet that the control lets start; empty: packets of any length start.
  std::optional<traffic::LengthLimit> longest_packet() const;
  /// Throws ConfigError for a packet length that the control would never let start.
  void validate_length(unsigned longest_flits) const;
  /// Binds the keys congestion.*.
  void add_keys(config::KeyTable& keys);
};

}  // namespace tsuji::network
