// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_machine.h"

#include <algorithm>
#include <memory>

#include "tsuji/core/error.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::machines {

namespace {

/// A network interface sends into two FIFOs of its bridge. Multicasts share one with single casts,
/// so that the Sender keeps their order.
class FifoOfBridge final : public nic::FirstHop {
 public:
  std::uint32_t single_cast(NodeId) const override { return 1U << traffic::LinkBridge::usual_fifo; }
  std::uint32_t multicast(std::uint32_t, std::uint64_t) const override {
    return 1U << traffic::LinkBridge::usual_fifo;
  }
  std::uint32_t synchronization(std::uint64_t) const override {
    return 1U << traffic::LinkBridge::synchronization_fifo;
  }
};

}  // namespace

void TreeMachine::validate(const network::NetworkConfig& network, const Cenju4Config& nodes,
                           const TreeConfig& tree) {
  tree.validate();
  nodes.check_library({true, true}, "");
  const nic::PacketSizes& sizes = nodes.nic.sizes;
  const unsigned multicast = sizes.flits(PacketKind::multicast, sizes.max_payload_bytes);
  validate_largest_packet(network, std::max(sizes.largest(), multicast + NodeTree::map_nodes));
  if (network.network.vcs <= TreeConfig::vcs)
    throw ConfigError("router.vcs", std::to_string(network.network.vcs),
                      "the tree of units has the last virtual channel of each link for itself",
                      "one more than routing.kind needs");
  const std::string changes = !network.link_faults.empty() ? "link.faults" : "faults.events";
  if (network.dead.change() || !network.link_faults.empty())
    throw ConfigError(
        changes, network.link_faults.empty() ? network.dead.events : network.link_faults,
        "the tree of units does not change in a run",
        "links and routers that are dead from the beginning (faults.links), or nic.kind cenju4");
}

void TreeMachine::refuse_retry(const traffic::RetryConfig& retry) {
  if (!retry.on()) return;
  throw ConfigError("retry.timeout_cycles", std::to_string(retry.timeout_cycles),
                    "the tree of units does not change in a run, in which nothing is lost then",
                    "0, or nic.kind cenju4 or cenju4_groups");
}

Cenju4Config TreeMachine::complete_config(const Cenju4Config& nodes, const network::NetworkConfig& network,
                                          const graph::Topology& topology, const TreeConfig& tree) {
  Cenju4Config whole = complete(nodes, network, topology, topology.nodes());
  validate(network, whole, tree);
  return whole;
}

TreeMachine::TreeMachine(const Parts& parts, const TreeConfig& tree, const graph::FaultSet& faults)
    : BridgedNodes(parts),
      units_({tree, parts.topology, faults, parts.routing, parts.network.network.vcs_of_routing()}) {
  Joints joints;
  joints.end = "node";
  joints.routing = &units_.routing();
  joints.unit_of = [this](NodeId node) { return units_.channels_of(node); };
  joints.make_control = [this](graph::RouterId router) { return units_.make_port(router); };
  build_network(parts, joints);
  build_nodes(parts.topology.nodes(), network().domain(), host_clock_domain(), network().pool(),
              [&](NodeId node) {
                return Joint{std::make_unique<FifoOfBridge>(), from_end(node), to_end(node)};
              });
}

// Packets on channels, in units and in nodes go back to the network's pool.
TreeMachine::~TreeMachine() {
  destroy_nodes();
}

observe::NetworkMetrics TreeMachine::metrics() const {
  observe::NetworkMetrics metrics = node_metrics();
  metrics.flits_offered = flits_from_ends();
  metrics.flit_hops = network().network().counters().flits;
  metrics.flits_in_flight_at_end = flits_in_network();
  return metrics;
}

/// Every packet of a network interface, with the copies of units, has come to one.
void TreeMachine::check_conservation() const {
  check_losses();
  const observe::NetworkMetrics all = metrics();
  const TreeCounters units = units_.counters();
  const std::uint64_t made = units.copied + units.released;
  const std::uint64_t delivered = all.packets_delivered() + packets_dropped_by_receivers();
  if (units_.numbers_kept() != 0)
    throw ModelError("machine", last_cycle(), "", "members of a multicast have not read its numbers");
  if (all.packets_sent + made == units.merged + lost().packets() + delivered) return;
  throw ModelError("machine", last_cycle(), "",
                   std::to_string(all.packets_sent) + " packets were sent and " + std::to_string(made) +
                       " copied or released, " + std::to_string(units.merged) + " merged, " +
                       std::to_string(lost().packets()) + " lost and " + std::to_string(delivered) +
                       " delivered");
}

}  // namespace tsuji::machines
