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
  nodes.check_library({true, true, false}, "");
  const nic::PacketSizes& sizes = nodes.nic.sizes;
  const unsigned multicast = sizes.flits(PacketKind::multicast, sizes.max_payload_bytes);
  validate_largest_packet(network, std::max(sizes.largest(), multicast + NodeTree::map_nodes));
  if (network.network.vcs <= TreeConfig::vcs)
    throw ConfigError("router.vcs", std::to_string(network.network.vcs),
                      "the tree of units needs the last virtual channel of each link exclusively",
                      "one more than routing.kind needs");
  validate_changes(network);
}

bool TreeMachine::changes(const network::NetworkConfig& network) {
  return network.dead.change() || !network.link_faults.empty();
}

void TreeMachine::validate_changes(const network::NetworkConfig& network) {
  if (!changes(network)) return;
  if (network.reconfigures())
    throw ConfigError("routing.kind", network.routing.kind,
                      "routers that change their tables during a run use the control ports, to which the "
                      "units of the tree are attached",
                      "another routing, or no faults.events and no campaign, or nic.kind cenju4");
  if (network.network.router.dead_route == router::DeadRoute::wait)
    throw ConfigError("router.dead_route", "wait",
                      "a packet of the tree that waits for a dead link would block packets of the next tree",
                      "drop, or no link.faults, faults.events and campaign");
}

Cenju4Config TreeMachine::complete_config(const Cenju4Config& nodes, const network::NetworkConfig& network,
                                          const graph::Topology& topology, const TreeConfig& tree) {
  Cenju4Config whole = complete(nodes, network, topology, topology.nodes());
  validate(network, whole, tree);
  return whole;
}

TreeMachine::TreeMachine(const Parts& parts, const TreeConfig& tree, const graph::FaultSet& faults)
    : BridgedNodes(parts),
      units_({tree, parts.topology, faults, parts.routing, parts.network.network.vcs_of_routing(),
              changes(parts.network)}) {
  Joints joints;
  joints.end = "node";
  joints.routing = &units_.routing();
  joints.unit_of = [this](NodeId node) { return units_.channels_of(node); };
  joints.make_control = [this](graph::RouterId router) { return units_.make_port(router); };
  if (units_.changes()) joints.fault_observer = &units_;
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
  metrics.flit_hops = network().accounts().flit_hops();
  metrics.flits_in_flight_at_end = flits_in_network();
  return metrics;
}

/// The next tree joins members of multicasts and barriers that this one does not.
bool TreeMachine::may_still_arrive() const {
  const auto& events = network().supervisor().schedule().events();
  const bool changes = units_.last_event() > last_cycle() ||
                       (units_.changes() && !events.empty() && events.back().cycle > last_cycle());
  return changes || BridgedNodes::may_still_arrive();
}

TreeMachine::UnitPackets TreeMachine::unit_packets(Cycle) const {
  const TreeCounters units = units_.counters();
  const network::NetworkAccounts& accounts = network().accounts();
  const std::uint64_t between = accounts.packets_born_at_routers() - accounts.packets_ended_at_routers();
  return {units.copied + units.released + units.sent_again, units.merged + units.swallowed + units.discarded,
          units_.copies_under_way() + between};
}

/// Every packet of a network interface, with the copies of units, has come to one.
void TreeMachine::check_conservation() const {
  check_losses();
  const observe::NetworkMetrics all = metrics();
  const TreeCounters units = units_.counters();
  const std::uint64_t delivered = all.packets_delivered() + packets_dropped_by_receivers();
  if (units_.numbers_kept() != 0)
    throw ModelError("machine", last_cycle(), "", "members of a multicast have not read its numbers");
  check_tree(units);
  const std::uint64_t due = all.packets_sent - units.multicasts + units.due;
  if (due == lost().packets() + delivered) return;
  throw ModelError("machine", last_cycle(), "",
                   std::to_string(all.packets_sent) + " packets were sent, " +
                       std::to_string(units.multicasts) + " of them to " + std::to_string(units.due) +
                       " members, and " + std::to_string(lost().packets()) + " were lost and " +
                       std::to_string(delivered) + " delivered");
}

/// Each member of a multicast has had one copy, each member of a barrier one release.
void TreeMachine::check_tree(const TreeCounters& units) const {
  const std::uint64_t released = units.to_nodes - units.given;
  const bool balanced =
      units.from_nodes + units.from_units + units.copied + units.released + units.sent_again ==
      units.to_nodes + units.to_units + units.merged + units.swallowed + units.discarded;
  if (balanced && units.due == units.given && units.synchronizations == released) return;
  throw ModelError("machine", last_cycle(), "",
                   std::to_string(units.due) + " copies of multicasts were due and " +
                       std::to_string(units.given) + " given, " + std::to_string(units.synchronizations) +
                       " nodes arrived at barriers and " + std::to_string(released) + " were released" +
                       (balanced ? "" : "; packets of the units do not add up"));
}

}  // namespace tsuji::machines
