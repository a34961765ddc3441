// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/crosspoint/crosspoint_traffic.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/workload/random_streams.h"

namespace tsuji::network {
namespace {

constexpr unsigned group_nodes = 64;

}  // namespace

void MulticastTrafficConfig::validate(unsigned network_nodes) const {
  const unsigned most = std::min(network_nodes, group_nodes);
  if (share > 0 && nodes > most)
    throw ConfigError("traffic.multicast_nodes", std::to_string(nodes), "a node group has fewer nodes",
                      "1.." + std::to_string(most));
}

void add_multicast_traffic_keys(config::KeyTable& keys, MulticastTrafficConfig& config) {
  keys.add("traffic.multicast_share", config.share, {0.0, 1.0}, "",
           "share of packets that are multicasts, each to traffic.multicast_nodes nodes of a node group");
  keys.add("traffic.multicast_nodes", config.nodes, {1, group_nodes}, "nodes",
           "number of destinations of a multicast, drawn from a node group; a smaller group receives it on "
           "all nodes");
}

CrosspointEmissions::CrosspointEmissions(std::unique_ptr<EmissionSource> packets, const Parts& parts,
                                         NodeId node)
    : packets_(std::move(packets)),
      parts_(parts),
      random_(workload::traffic_random(parts.seed, workload::RandomStream::multicasts, node)) {}

bool CrosspointEmissions::next(traffic::Emission& emission) {
  if (!packets_->next(emission)) return false;
  if (parts_.multicast.share > 0 && random_.unit() < parts_.multicast.share) draw_multicast(emission);
  const nic::PacketSizes& sizes = parts_.sizes;
  emission.header_flits = static_cast<std::uint8_t>(sizes.header(emission.kind));
  emission.word_flits = static_cast<std::uint8_t>(sizes.flits_per_word);
  const unsigned without_data = sizes.flits(emission.kind, 0);
  const unsigned words =
      emission.flits < without_data ? 0 : (emission.flits - without_data) / sizes.flits_per_word;
  emission.payload_bytes = static_cast<std::uint16_t>(std::min(8 * words, sizes.max_payload_bytes));
  return true;
}

/// Floyd's choice of different nodes: a number for each.
void CrosspointEmissions::draw_multicast(traffic::Emission& emission) {
  const unsigned groups = (parts_.nodes + group_nodes - 1) / group_nodes;
  emission.kind = PacketKind::multicast;
  emission.group = groups == 1 ? 0 : static_cast<std::uint32_t>(random_.below(groups));
  const unsigned members = std::min(group_nodes, parts_.nodes - emission.group * group_nodes);
  const unsigned chosen = std::min(parts_.multicast.nodes, members);
  emission.map = 0;
  for (unsigned last = members - chosen; last < members; ++last) {
    const std::uint64_t drawn = std::uint64_t{1} << random_.below(last + 1);
    emission.map |= (emission.map & drawn) != 0 ? std::uint64_t{1} << last : drawn;
  }
}

}  // namespace tsuji::network
