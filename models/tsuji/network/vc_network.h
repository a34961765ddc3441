// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/graph/topology.h"
#include "tsuji/link/flit_link.h"
#include "tsuji/link/route_lookup.h"
#include "tsuji/lookup/ported_table.h"
#include "tsuji/network/config/vc_network_config.h"
#include "tsuji/router/router_module.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network {

class ObjectBlock;
class PinLink;

/// Reads of routing tables, and the sum of their waits for a read port.
struct TableCounters {
  std::uint64_t reads = 0, wait_cycles = 0;
};

/// Routers and links of a virtual-channel network after a topology. Nodes are bound to inject() and eject()
/// from outside. Topology, routing and pool outlive the network.
class VcNetwork final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "network: " + topology_.name(); }
  /// The routing, and links, which are no objects of the kernel.
  void add_parts(PartList& parts) const override;

  using MakeLookup = std::function<std::unique_ptr<RouteLookup>(graph::RouterId)>;
  /// The links whose two ends are tied by pins, to the cycle as if they shared a ring; an empty function:
  /// none.
  struct PinChoice {
    std::function<bool(std::uint32_t link)> links = {};
    std::function<bool(NodeId node)> nodes = {};
  };
  struct Parts {
    const VcNetworkConfig& config;
    const graph::Topology& topology;
    const routing::Routing& routing;
    PacketPool& pool;
    std::uint64_t seed = 1;
    router::RouterEvents* events = nullptr;
    router::RouterPackets* packets = nullptr;
    MakeLookup make_lookup = {};          ///< empty: one PlainLookup with rc_cycles serves all routers
    Arena* arena = nullptr;               ///< where routers' buffers and tables lie; never null
    router::RouterKind router_kind = {};  ///< without `make`: as the configuration says
    PinChoice over_pins = {};
    /// Routers with a port more than the topology gives them, behind all others, for control messages.
    std::function<bool(graph::RouterId)> control_port = {};
    /// Told now and then which share of the network is built, 1 when the simulation starts; may be empty.
    std::function<void(double share)> progress = {};
  };

  VcNetwork(sc_core::sc_module_name name, ClockDomain& domain, const Parts& parts);
  ~VcNetwork() override;

  const graph::Topology& topology() const { return topology_; }
  const VcNetworkConfig& config() const { return config_; }
  /// The node's ends of its links; the same object in two-way networks.
  FlitEndIf& inject(NodeId node) { return node_links_[node].inject->a(); }
  FlitEndIf& eject(NodeId node);
  /// The far end of a router's control port; null: the router has none.
  FlitEndIf* control(graph::RouterId id);
  /// The far end of a port; of a control port as of a node's.
  const graph::Topology::Far& far(graph::RouterId router, unsigned port) const;
  bool one_link(NodeId node) const { return node_links_[node].eject == nullptr; }

  const router::RouterKind& router_kind() const { return router_kind_; }
  /// From the end of elaboration on.
  router::FlitRouter& router(graph::RouterId id) { return routers_[id]->router(); }
  const router::FlitRouter& router(graph::RouterId id) const { return routers_[id]->router(); }
  /// Abilities that the router must have: a ModelError else.
  router::PurgingRouter& purging(graph::RouterId id, Cycle now) {
    return needed(router(id), router(id).purging(), now, "purge packets");
  }
  router::ReroutingRouter& rerouting(graph::RouterId id, Cycle now) {
    return needed(router(id), router(id).rerouting(), now, "route heads again");
  }
  router::RouterModule& module(graph::RouterId id) { return *routers_[id]; }
  const router::RouterModule& module(graph::RouterId id) const { return *routers_[id]; }
  unsigned routers() const { return static_cast<unsigned>(routers_.size()); }
  /// Of a link over pins: its half at end a.
  FlitLink& link(std::uint32_t index) { return *links_[index]; }
  const FlitLink& link(std::uint32_t index) const { return *links_[index]; }
  /// The channel that the sender of a link's direction sends on; null where there is none.
  const FlitChannel* sending(std::uint32_t link, bool forward) const;
  bool has_pins() const { return !pins_.empty(); }
  /// Lookahead of the links beside their latencies: pins are looked at in every cycle.
  Cycle lookahead_cycles() const { return has_pins() ? 1 : never; }

  /// A channel with its ends: a router's port, or where `router` is graph::none a node or the end
  /// of a router that its control port leads to. Over pins it is the receiver's.
  struct ChannelPlace {
    FlitChannel* channel = nullptr;
    graph::PortRef from, to;
    std::optional<End> from_node, to_node;

    static ChannelPlace between_routers(FlitChannel* channel, graph::PortRef from, graph::PortRef to) {
      ChannelPlace place;
      place.channel = channel;
      place.from = from;
      place.to = to;
      return place;
    }
  };
  /// All of them, in an order that only the topology decides.
  std::vector<ChannelPlace> channels();

  /// An input virtual channel of a router.
  struct InputPlace {
    graph::PortRef port;
    unsigned vc = 0;
  };
  /// Between two cycles: calls visit(packet, place) for each flit in the buffers of a router and on the wires
  /// to it, and for packets of which all that has come has left again and more is to come.
  void visit_packets_at(graph::RouterId router, Cycle now,
                        const std::function<void(PacketIndex, const InputPlace&)>& visit);
  /// Between two cycles: takes a packet, some of which is at `place`, out of all routers that it spans. Costs
  /// as much as it spans. ModelError in a network with pins, across which nothing is purged.
  void purge(PacketIndex packet, const InputPlace& place, Cycle now);

  /// The sum over all routers.
  router::RouterCounters counters() const;
  router::PredictionCounters prediction_counters() const;
  /// Routers have tables with read ports (Routing::table_reads), and no look-up hardware in their place.
  bool has_tables() const { return !tables_.empty(); }
  TableCounters table_counters() const;
  /// Nothing moves after this cycle unless something comes from outside: the latest that a stage, a flit or a
  /// credit under way leads to, or the first one found that lies after `now`.
  Cycle last_event(Cycle now) const;
  /// Flits in buffers, routers and on wires, killed ones included; once, if held twice.
  std::uint64_t flits_in_flight() const;
  /// FlitChannel::check_credits() of all channels, between two cycles.
  void check_credits(Cycle now) const;
  /// The packets of flits in buffers, routers and on wires, but killed ones; each as often as it has flits
  /// there.
  std::vector<PacketIndex> packets_in_flight() const;

 private:
  struct NodeLinks {
    std::unique_ptr<FlitLink> inject, eject;
  };

  void start_of_simulation() override;
  void show_routers_made();
  void built(double share) const {
    if (progress_) progress_(share);
  }

  struct LinkPlan;
  void add_links(ClockDomain& domain, const Parts& parts);
  void add_node_links(ClockDomain& domain, const Parts& parts);
  void add_control_links(const Parts& parts);
  std::unique_ptr<FlitLink> make_link(const LinkPlan& plan, ClockDomain& domain, const Parts& parts);
  /// The half of a link at its end b; all of it where its ends share their rings.
  FlitLink& far_half(FlitLink& link) const;
  /// Calls `visit` for every channel.
  template <class Visit>
  void visit_channels(const Visit& visit) const;
  void visit_held_twice(const std::function<void(PacketIndex)>& visit) const;
  FlitChannelConfig channel(Cycle latency_cycles, unsigned vcs) const;
  std::unique_ptr<RouteLookup> make_table(const routing::Routing& routing, graph::RouterId id);
  bool step_back(PacketIndex packet, InputPlace& place, Cycle now);
  void bind(const graph::PortRef& port, FlitEndIf& end) { routers_[port.router]->bind_port(port.port, end); }

  const VcNetworkConfig config_;
  const graph::Topology& topology_;
  const routing::Routing& routing_;  ///< the first one
  const std::function<void(double)> progress_;
  router::RouterKind router_kind_;
  std::vector<std::unique_ptr<ObjectBlock>> blocks_;
  std::vector<std::unique_ptr<RouteLookup>> lookups_;
  std::vector<const lookup::PortedTable*> tables_;  ///< among lookups_
  std::vector<std::unique_ptr<FlitLink>> links_;
  std::vector<NodeLinks> node_links_;
  std::map<const FlitLink*, std::unique_ptr<PinLink>> pins_;  ///< of the links that have them
  std::map<graph::RouterId, std::unique_ptr<FlitLink>> control_links_;
  graph::Topology::Far behind_control_port_;
  std::vector<std::unique_ptr<router::RouterModule>> routers_;
  unsigned routers_made_ = 0;
};

}  // namespace tsuji::network
