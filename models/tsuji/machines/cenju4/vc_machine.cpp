// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/vc_machine.h"

#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::machines {
namespace {

/// A network interface feeds one FIFO, that of its bridge; multicast is not supported.
class BridgeFirst final : public nic::FirstHop {
 public:
  std::uint32_t single_cast(NodeId) const override { return 1; }
  std::uint32_t multicast(std::uint32_t, std::uint64_t) const override { return 0; }
  std::uint32_t synchronization(std::uint64_t) const override { return 0; }
};

}  // namespace

void VcMachine::validate(const network::NetworkConfig& network, const Cenju4Config& nodes) {
  nodes.check_library({}, "this network carries packets from one node to one other only");
  const nic::PacketSizes& sizes = nodes.nic.sizes;
  validate_largest_packet(network, sizes.flits(PacketKind::single_cast, sizes.max_payload_bytes));
}

Cenju4Config VcMachine::complete_config(const Cenju4Config& nodes, const network::NetworkConfig& network,
                                        const graph::Topology& topology) {
  validate(network, nodes);
  return complete(nodes, network, topology, topology.nodes());
}

VcMachine::VcMachine(const Parts& parts) : BridgedNodes(parts) {
  build_network(parts, {"node"});
  build_nodes(parts.topology.nodes(), network().domain(), host_clock_domain(), network().pool(),
              [&](NodeId node) {
                return Joint{std::make_unique<BridgeFirst>(), from_end(node), to_end(node)};
              });
}

// Packets on channels and in nodes go back to the network's pool.
VcMachine::~VcMachine() {
  destroy_nodes();
}

observe::NetworkMetrics VcMachine::metrics() const {
  observe::NetworkMetrics metrics = node_metrics();
  metrics.flits_offered = flits_from_ends();
  metrics.flit_hops = network().accounts().flit_hops();
  metrics.flits_in_flight_at_end = flits_in_network();
  return metrics;
}

void VcMachine::check_conservation() const {
  check_losses();
  const observe::NetworkMetrics all = metrics();
  const std::uint64_t delivered = all.packets_delivered() + packets_dropped_by_receivers();
  if (all.packets_sent == delivered + lost().packets()) return;
  throw ModelError("machine", last_cycle(), "",
                   std::to_string(all.packets_sent) + " packets were sent, " +
                       std::to_string(all.packets_delivered()) + " delivered and " +
                       std::to_string(lost().packets()) + " lost");
}

}  // namespace tsuji::machines
