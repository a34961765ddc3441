// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/list.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::traffic {
namespace {

class PacketLists final : public Traffic {
 public:
  explicit PacketLists(std::vector<std::vector<workload::ListedPacket>> lists) : lists_(std::move(lists)) {}
  std::unique_ptr<EmissionSource> source(NodeId node) const override {
    std::vector<Emission> emissions;
    for (const workload::ListedPacket& packet : lists_.at(node)) {
      Emission emission;
      emission.created = packet.created;
      emission.flits = static_cast<std::uint16_t>(packet.flits);
      emission.destination = packet.destination;
      emission.vcs = packet.vcs;
      emissions.push_back(emission);
    }
    return std::make_unique<ListedEmissions>(std::move(emissions));
  }

 private:
  const std::vector<std::vector<workload::ListedPacket>> lists_;  ///< per node
};

}  // namespace

void PacketListConfig::add_keys(config::KeyTable& keys) {
  keys.add_path("traffic.list", list,
                "packet list: file with a row CYCLE SOURCE DESTINATION FLITS [VC] for each packet, "
                "uncompressed or zstd");
}

void PacketListConfig::validate() const {
  if (list.empty())
    throw ConfigError("traffic.list", "", "there is no list to send",
                      "a file of lines CYCLE SOURCE DESTINATION FLITS");
}

std::unique_ptr<const Traffic> PacketListConfig::make(const TrafficGiven& given) const {
  return std::make_unique<PacketLists>(workload::read_packet_list(list, given.nodes, given.limits));
}

void add_list(TrafficKinds& kinds) {
  TrafficTraits traits{"packets of a file"};
  traits.own_lengths = true;
  kinds.add<PacketListConfig>("list", traits);
}

}  // namespace tsuji::traffic
