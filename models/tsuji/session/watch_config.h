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
  std::vector<unsigned> routers = {0};  ///< default: the router that every topology has
  std::vector<unsigned> nodes = {0};    ///< whole Cenju-4 nodes, if the network has any
  std::string packet;                   ///< packets on whose routes the view opens; empty: the first one
  bool slots = false;
  observe::LinkReportConfig links;
  /// ConfigError for a router or node that does not exist, with or without a waveform. `nodes_in_all`: number
  /// of whole nodes, if there are any.
  void validate_with(const graph::Topology& topology, unsigned nodes_in_all) const;
  /// The packets that `packet` names, at most 8. ConfigError for a text that names none, and for a packet
  /// named twice.
  std::vector<instruments::FollowedPacket::Wanted> followed() const;
};
/// Adds the keys; waves.nodes only to a table with nic.kind.
void add_watch_keys(config::KeyTable& keys, WatchConfig& config);
/// The packet of a node that `name` names, as 15.105. ConfigError of `key` for a text that names none;
/// `accepted` says what would.
PacketId packet_named(const std::string& name, const char* key, const char* accepted);

}  // namespace tsuji::session
