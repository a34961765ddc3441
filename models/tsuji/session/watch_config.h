// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/packet.h"
#include "tsuji/graph/topology.h"
#include "tsuji/observe/link_report.h"

namespace tsuji::session {

/// Keys `trace.*` and `links.*`, which several instruments read.
struct WatchConfig {
  std::vector<unsigned> routers = {0};  ///< the one that every topology has
  std::vector<unsigned> nodes = {0};    ///< whole Cenju-4 nodes, where there are any
  std::string packet;                   ///< on whose route the view opens; empty: the first one
  bool slots = false;
  observe::LinkReportConfig links;
  /// ConfigError for a router or node that does not exist, whether there is a waveform or not.
  /// `nodes_in_all`: whole nodes, where there are any.
  void validate_with(const graph::Topology& topology, unsigned nodes_in_all) const;
  /// The packet's number, none where there is none. ConfigError for a text that is no packet's name.
  std::optional<PacketId> followed() const;
};
void add_watch_keys(config::KeyTable& keys, WatchConfig& config);

}  // namespace tsuji::session
