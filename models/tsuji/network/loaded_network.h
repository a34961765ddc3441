// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/clock/clocked_run.h"
#include "tsuji/core/packet.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/network_lookup.h"
#include "tsuji/network/network_supervisor.h"
#include "tsuji/network/retry_accounts.h"
#include "tsuji/network/router_packets.h"
#include "tsuji/network/routing_views.h"
#include "tsuji/network/timeout_classifier.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/observe/link_report.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/traffic/flit_node.h"

namespace tsuji::network {

class ObjectBlock;

/// A virtual-channel network with a source and a sink at every node, and the accounts of its packets: each
/// one is delivered once, or dropped with a cause, or still under way at the end (ModelError otherwise).
class LoadedNetwork final : public ClockedRun, private traffic::FlitNodeEvents {
 public:
  /// Sees every delivery, cycle by cycle, and within one in the order in which modules run.
  using OnDelivered = std::function<void(const observe::DeliveredPacket&)>;
  using MakeSource = std::function<std::unique_ptr<traffic::EmissionSource>(NodeId)>;

  /// Parts of one's own in the places of models.
  struct CustomParts {
    /// Makes the look-up of each router; not with look-up hardware. Empty: as the configuration says.
    VcNetwork::MakeLookup make_lookup = {};
    NetworkLookup::MakeSwitch make_switch = nullptr;  ///< RTL in switches with look-up hardware; may be empty
    lookup::ModuleRtl module_rtl = {};                ///< RTL in the place of look-up modules
    router::RouterKind router_kind = {};              ///< VcNetwork::Parts; what it cannot do is refused
    VcNetwork::PinChoice over_pins = {};  ///< links that no packet may be dropped on: faults are refused
  };

  struct Parts {
    const NetworkConfig& config;
    const graph::Topology& topology;
    const routing::Routing& routing;
    std::uint64_t seed = 1;
    MakeSource make_source = {};  ///< null for all nodes: there are none
    /// Channels of the sources wake the nodes. With retry their packets have been made (Emission::packet).
    bool sources_have_channels = false;
    /// End-to-end retry behind all of these sources. The measurement counts their packets, each once, and
    /// on_delivered sees repeats and acknowledgements, too (DeliveredPacket::arrival).
    traffic::RetryConfig retry = {};
    /// Told of each packet of a source that is dropped, with retry of each message that is lost
    /// (RetryAccounts::OnLost); may be empty.
    RetryAccounts::OnLost on_lost = {};
    observe::LoadMeasurement* measurement = nullptr;  ///< may be null
    OnDelivered on_delivered = {};                    ///< may be empty
    /// on_delivered may see a delivery after others that come so many cycles later, less one; `never`:
    /// deliveries in any order.
    Cycle deliveries_lookahead_cycles = 1;
    CustomParts custom = {};
    /// Sources and sinks of control messages behind a control port of each router (VcNetwork::control), whose
    /// packets are for routers (End::of_router): the routing knows what that means. Null for a router: it has
    /// no such port. Not with look-up hardware.
    std::function<std::unique_ptr<traffic::EmissionSource>(graph::RouterId)> make_control = {};
    /// The routers' own answer to links and routers that die and return, with what stands behind their
    /// control ports; null: none. Outlives the network.
    FaultReaction* fault_reaction = nullptr;
    FaultObserver* fault_observer = nullptr;  ///< null: none; outlives the network
    /// Told now and then which share of the network is built (VcNetwork::Parts::progress).
    std::function<void(double share)> progress = {};
  };

  explicit LoadedNetwork(const Parts& parts);
  ~LoadedNetwork() override;

  const ClockDomain& domain() const override { return *domain_; }
  ClockDomain& domain() override { return *domain_; }
  VcNetwork& network() { return *network_; }
  const VcNetwork& network() const { return *network_; }
  NetworkSupervisor& supervisor() { return *supervisor_; }
  const NetworkSupervisor& supervisor() const { return *supervisor_; }
  PacketPool& pool() { return pool_; }
  const PacketPool& pool() const { return pool_; }
  /// The switches' look-up hardware; null with routers' own tables or a make_lookup of one's own.
  NetworkLookup* lookup() { return lookup_.get(); }
  const NetworkLookup* lookup() const { return lookup_.get(); }
  /// Timeouts of heads so far; null without NetworkConfig::classify_timeouts.
  const TimeoutClasses* timeout_classes() const { return timeouts_ ? &timeouts_->classes() : nullptr; }
  /// Between two calls of run_to(): one switch routes packets for `destination` to another port from the next
  /// cycle on, wherever they came in. Its heads without an output ask again; look-up hardware empties its
  /// caches, and asks again for heads that hold an output and have not begun to leave, too.
  void change_route(graph::RouterId router, NodeId destination, lookup::RouteEntry entry);
  /// Between two calls of run_to(), after the first: a router and the nodes that inject there read another
  /// routing from the next cycle on (RoutingViews::exchange), which outlives the network. Not with look-up
  /// hardware. Nothing runs ahead any more: no routing promises anything for heads that another one has led.
  void exchange_routing(graph::RouterId router, const routing::RoutingView& view);
  /// Between two cycles, of which `now` is the first, for a FaultReaction.
  void exchange_between_cycles(graph::RouterId router, const routing::RoutingView& view, Cycle now) {
    views_->exchange(router, view, now);
  }
  /// RoutingViews::begin_anew, for a FaultReaction.
  void begin_routing_anew(graph::RouterId router) { views_->begin_anew(router); }
  /// The routing that a router and its nodes read; look-up hardware has its own changes beside it.
  routing::RoutingView routing_view(graph::RouterId router) const { return views_->of(router); }
  traffic::FlitNode& node(NodeId id) { return *nodes_[id]; }

  /// How many cycles groups of modules may run before others (ClockDomain::run_groups); 1: none.
  Cycle group_cycles() const { return lookahead_; }
  /// With retry without repeats and acknowledgements.
  std::uint64_t packets_born() const { return retry_ ? retry_->messages_born() : born_; }
  /// With retry all of them.
  std::uint64_t packets_delivered() const { return delivered_; }
  /// Null without retry.
  const RetryAccounts* retry() const { return retry_.get(); }
  RetryAccounts* retry() { return retry_.get(); }
  /// Packets that routers make and end, which are no part of the two above.
  std::uint64_t packets_born_at_routers() const { return router_packets_->born(); }
  std::uint64_t packets_ended_at_routers() const { return router_packets_->ended(); }
  /// Packets in source queues and in the network, counted there.
  std::uint64_t packets_under_way() const;
  /// With retry without repeats and acknowledgements: network_fates() has them.
  observe::PacketFates fates() const { return retry_ ? retry_->fates() : network_fates(); }
  observe::PacketFates network_fates() const;
  /// The causes for which this network may drop packets.
  std::vector<NetworkDropCause> drop_causes() const;
  /// Sums over the nodes.
  std::uint64_t packets_sent() const;
  std::uint64_t flits_sent() const;
  /// With retry without those of acknowledgements and duplicates.
  std::uint64_t flits_ejected_in_window() const;
  /// Sets the metrics that the network counts: packets_sent, flit_hops, flits_in_flight_at_end.
  void add_counters(observe::NetworkMetrics& metrics) const;
  /// The window of flits_ejected_in_window() where it was not known at first: not before now().
  void set_window(Cycle from, Cycle to) {
    node_config_.window_from = from;
    node_config_.window_to = to;
    if (retry_) retry_->count_window(from, to);
  }
  /// Flits that sources put in = flits that sinks took + flits killed + flits inside, and
  /// RetryAccounts::check(); ModelError if not.
  void check_conservation() const;
  /// Flits of each direction of each link between routers.
  void for_each_link(const std::function<void(const observe::LinkLoad&)>& visit) const;

 private:
  void prepare(Cycle end) override;
  void on_born(End source, const traffic::Emission& emission) override;
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;
  void on_delivered_with_retry(const Packet& packet, observe::DeliveredPacket record);
  void on_dropped(PacketIndex packet, NetworkDropCause cause, Cycle now);
  void tell_lost(const Packet& packet, const char* cause, Cycle now);
  void order_modules();
  void classify_timeouts(const Parts& parts);
  static bool heads_may_lack_a_route(const Parts& parts);
  void check_abilities(const Parts& parts) const;
  Cycle begin_route_change();
  Cycle lookahead(const Parts& parts) const;
  Cycle lookahead_of_links(const Parts& parts) const;
  Cycle lookahead_of_nodes(const Parts& parts) const;
  bool order_shows() const;
  void add_retry(const Parts& parts);
  void add_nodes(const Parts& parts);
  void make_control_sources(const Parts& parts);
  void add_control(const Parts& parts);
  traffic::FlitNode* node_at(End end);
  /// Calls visit(FlitNodeState) for the nodes, and for what stands behind control ports.
  template <class Visit>
  void visit_nodes(const Visit& visit) const {
    for (const auto& node : nodes_) visit(node->state());
    for (const auto& [id, node] : control_) visit(node->state());
  }
  VcNetwork::MakeLookup make_lookup(const Parts& parts);
  VcNetwork::Parts network_parts(const Parts& parts);
  NetworkSupervisor::Hooks supervisor_hooks(const Parts& parts);
  Cycle last_event(Cycle now) const;
  static traffic::FlitNodeConfig node_config(const Parts& parts);

  observe::LoadMeasurement* const measurement_;
  const OnDelivered on_delivered_;
  const RetryAccounts::OnLost on_lost_;
  PacketPool pool_;
  Arena arena_;  ///< buffers and tables of routers and nodes
  std::unique_ptr<ClockDomain> domain_;
  std::unique_ptr<NetworkSupervisor> supervisor_;
  traffic::FlitNodeConfig node_config_, control_config_;
  std::unique_ptr<NetworkLookup> lookup_;
  std::unique_ptr<RetryAccounts> retry_;
  std::unique_ptr<RouterPacketAccounts> router_packets_;
  std::unique_ptr<VcNetwork> network_;
  std::unique_ptr<TimeoutClassifier> timeouts_;
  std::vector<std::unique_ptr<ObjectBlock>> blocks_;
  std::vector<std::unique_ptr<traffic::FlitNode>> nodes_;
  std::unique_ptr<RoutingViews> views_;
  FaultReaction* const reaction_;
  FaultObserver* const observer_;
  std::vector<std::unique_ptr<traffic::EmissionSource>> control_sources_;  ///< [router], until elaboration
  std::map<graph::RouterId, std::unique_ptr<traffic::FlitNode>> control_;
  std::uint64_t born_ = 0, delivered_ = 0;
  Cycle lookahead_ = 1;  ///< of groups of modules; 1: as long as the order of cycles may show
};

}  // namespace tsuji::network
