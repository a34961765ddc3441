// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/watch_config.h"

#include <sstream>

#include "tsuji/core/error.h"
#include "tsuji/instruments/vc_network_waves.h"

namespace tsuji::session {

void add_watch_keys(config::KeyTable& keys, WatchConfig& config) {
  keys.add("trace.routers", config.routers, {0, 1'000'000}, {0, 1024}, "",
           "routers in a waveform, with all their channels; none: all");
  keys.add("trace.nodes", config.nodes, {0, 1'000'000}, {0, 1024}, "",
           "nodes in a waveform, processor and network interface; none: all");
  keys.only_with("trace.nodes", {{"nic.kind", {"cenju4", "cenju4_groups", "cenju4_tree"}}});
  keys.add(
      "trace.packet", config.packet,
      "packet on whose route the view of a waveform opens, by source and serial number as 15.105; empty: the "
      "first one that the waveform shows");
  keys.add("trace.slots", config.slots, "stage of the flit in every buffer place, in a waveform");
  keys.add(
      "links.rows", config.links.rows, {0, 100'000'000}, "rows",
      "length of the tables in result.json: links, the busiest directions; predictions, the best inputs");
  keys.add("links.csv", config.links.csv, "links.csv in the output folder, with all directions of all links");
}

void WatchConfig::validate_with(const graph::Topology& topology, unsigned nodes_in_all) const {
  instruments::VcNetworkWavesConfig waves;
  waves.routers = routers;
  waves.validate_with(topology);
  followed();
  for (const unsigned node : nodes) {
    if (node < nodes_in_all) continue;
    throw ConfigError("trace.nodes", std::to_string(node), "there is no such node",
                      "0.." + std::to_string(nodes_in_all - 1) + ", or [] for all");
  }
}

std::optional<PacketId> WatchConfig::followed() const {
  if (packet.empty()) return std::nullopt;
  std::istringstream text(packet);
  std::uint32_t node = 0, serial = 0;
  char dot = 0, more = 0;
  const bool digits = packet.find_first_not_of("0123456789.") == std::string::npos;
  if (!digits || !(text >> node >> dot >> serial) || dot != '.' || text >> more ||
      packet_name(packet_id(node, serial)) != packet)
    throw ConfigError("trace.packet", packet, "names no packet",
                      "source and serial number as 15.105, or \"\"");
  return packet_id(node, serial);
}

}  // namespace tsuji::session
