// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/watch_config.h"

#include <algorithm>
#include <sstream>

#include "tsuji/core/error.h"
#include "tsuji/instruments/vc_network_waves.h"

namespace tsuji::session {
namespace {

PacketId named(const std::string& name) {
  return packet_named(name, "waves.packet",
                      "source and serial number as 15.105, several with spaces between, kinds, or \"\"");
}

}  // namespace

PacketId packet_named(const std::string& name, const char* key, const char* accepted) {
  std::istringstream text(name);
  std::uint32_t node = 0, serial = 0;
  char dot = 0, more = 0;
  const bool digits = name.find_first_not_of("0123456789.") == std::string::npos;
  if (!digits || !(text >> node >> dot >> serial) || dot != '.' || text >> more ||
      packet_name(packet_id(node, serial)) != name)
    throw ConfigError(key, name, "names no packet", accepted);
  return packet_id(node, serial);
}

void add_watch_keys(config::KeyTable& keys, WatchConfig& config) {
  keys.add("waves.routers", config.routers, {0, 1'000'000}, {0, 1024}, "",
           "routers in the waveform, with all their channels; empty: all");
  if (keys.has_key("nic.kind")) {
    keys.add("waves.nodes", config.nodes, {0, 1'000'000}, {0, 1024}, "",
             "nodes in the waveform, with processor and network interface; empty: all");
    keys.only_with("waves.nodes", {{"nic.kind", {"cenju4", "cenju4_groups", "cenju4_tree"}}});
  }
  keys.add("waves.packet", config.packet,
           "packets whose routes the waveform viewer shows first, as SOURCE.SERIAL (15.105), separated by "
           "spaces; kinds: the first single-cast, multicast and synchronization packet in the waveform; "
           "empty: the first packet");
  keys.add("waves.slots", config.slots,
           "whether the waveform shows the pipeline stage of the flit in every buffer slot");
  keys.add("links.rows", config.links.rows, {0, 100'000'000}, "rows",
           "number of rows of the tables in result.json: links (the busiest directions) and predictions (the "
           "inputs with the most hits)");
  keys.add("links.csv", config.links.csv,
           "whether to write links.csv, with all directions of all links, to the output folder");
}

void WatchConfig::validate_with(const graph::Topology& topology, unsigned nodes_in_all) const {
  instruments::VcNetworkWavesConfig waves;
  waves.routers = routers;
  waves.validate_with(topology);
  followed();
  for (const unsigned node : nodes) {
    if (node < nodes_in_all) continue;
    throw ConfigError("waves.nodes", std::to_string(node), "there is no such node",
                      "0.." + std::to_string(nodes_in_all - 1) + ", or [] for all");
  }
}

std::vector<instruments::FollowedPacket::Wanted> WatchConfig::followed() const {
  using Wanted = instruments::FollowedPacket::Wanted;
  if (packet.empty()) return {Wanted{}};
  if (packet == "kinds")
    return {Wanted{{}, PacketKind::single_cast}, Wanted{{}, PacketKind::multicast},
            Wanted{{}, PacketKind::synchronization}};
  constexpr std::size_t most = 8;
  std::vector<Wanted> wanted;
  std::istringstream names(packet);
  for (std::string name; names >> name;) {
    const PacketId id = named(name);
    const auto same = [id](const Wanted& other) { return other.id == id; };
    if (std::any_of(wanted.begin(), wanted.end(), same) || wanted.size() == most)
      throw ConfigError("waves.packet", packet,
                        name + " is " + (wanted.size() == most ? "too many" : "named twice"),
                        "up to 8 different packets");
    wanted.push_back({id, {}});
  }
  if (wanted.empty()) named(packet);
  return wanted;
}

}  // namespace tsuji::session
