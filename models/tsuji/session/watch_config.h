// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"
#include "tsuji/instruments/followed_packets.h"
#include "tsuji/observe/link_report.h"

namespace tsuji::session {

/// Keys `waves.*` and `links.*`, which several instruments read.
struct WatchConfig {
  std::vector<unsigned> routers = {0};  ///< the one that every topology has
  std::vector<unsigned> nodes = {0};    ///< whole Cenju-4 nodes, where there are any
  std::string packet;                   ///< packets on whose routes the view opens; empty: the first one
  bool slots = false;
  observe::LinkReportConfig links;
  /// ConfigError for a router or node that does not exist, whether there is a waveform or not.
  /// `nodes_in_all`: whole nodes, where there are any.
  void validate_with(const graph::Topology& topology, unsigned nodes_in_all) const;
  /// What `packet` says, at most 8. ConfigError for a text that names no packets, and for a packet twice.
  std::vector<instruments::FollowedPacket::Wanted> followed() const;
};
void add_watch_keys(config::KeyTable& keys, WatchConfig& config);

}  // namespace tsuji::session
