// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/packet_list.h"

#include "tsuji/core/error.h"
#include "tsuji/workload/field_reader.h"

namespace tsuji::workload {

std::vector<std::vector<ListedPacket>> read_packet_list(const std::string& path, unsigned nodes,
                                                        const PacketListLimits& limits) {
  constexpr std::uint64_t most_packets = 1U << 26;
  std::uint64_t packets = 0;
  std::vector<std::vector<ListedPacket>> lists(nodes);
  FieldReader fields(path, "traffic.list");
  const char* const form =
      limits.vcs == 0 ? "CYCLE SOURCE DESTINATION FLITS" : "CYCLE SOURCE DESTINATION FLITS [VC]";
  while (fields.next(4, limits.vcs == 0 ? 4 : 5, form)) {
    if (packets++ == most_packets)
      fields.refuse(0, "the list is too long", "at most " + std::to_string(most_packets) + " packets");
    const Cycle created = fields.integer(0, 0, limits.last_cycle, "a cycle");
    const auto source = static_cast<NodeId>(fields.integer(1, 0, nodes - 1, "a node"));
    const auto destination = static_cast<NodeId>(fields.integer(2, 0, nodes - 1, "a node"));
    for (const unsigned field : {1U, 2U})
      if (!limits.states.empty() && limits.states[field == 1 ? source : destination] == NodeState::dead)
        fields.refuse(field, "a dead node", "living nodes");
    const auto flits =
        static_cast<unsigned>(fields.integer(3, 1, PacketLengths::most_flits, "a number of flits"));
    if (flits > limits.flits)
      fields.refuse(3, "the packet is too large", "1.." + std::to_string(limits.flits) + limits.because);
    auto& list = lists[source];
    if (!list.empty() && created < list.back().created) {
      fields.refuse(0, "before the packet that node " + std::to_string(source) + " sends above",
                    "cycle " + std::to_string(list.back().created) + " or later");
    }
    list.push_back({created, destination, flits});
    if (fields.count() == 5)
      list.back().vcs =
          static_cast<std::uint16_t>(1U << fields.integer(4, 0, limits.vcs - 1, "a virtual channel"));
  }
  if (packets == 0)
    throw ConfigError("traffic.list", path, "no packet in it", "CYCLE SOURCE DESTINATION FLITS");
  return lists;
}

}  // namespace tsuji::workload
