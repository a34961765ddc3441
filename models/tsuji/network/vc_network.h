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
#include "tsuji/mpi/ranks.h"
#include "tsuji/network/config/vc_network_config.h"
#include "tsuji/router/router_module.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network {

namespace dense {
class DenseNetwork;
class HeadWatch;
}  // namespace dense
class ObjectBlock;
class PinLink;

/// Sums over the channels of links that err.
struct LinkErrorSums {
  std::uint64_t flits = 0,  ///< Flits sent, each once on each link.
      errors = 0,           ///< Flits that arrived damaged, each time.
      replay_cycles = 0;    ///< Cycles that replays took.

  /// Adds the counts of further links.
  LinkErrorSums& operator+=(const LinkErrorSums& other) {
    flits += other.flits;
    errors += other.errors;
    replay_cycles += other.replay_cycles;
    return *this;
  }
};

/// Number of reads of routing tables, and the sum of their waiting times for a read port.
struct TableCounters {
  std::uint64_t reads = 0,  ///< Number of reads.
      wait_cycles = 0;      ///< Cycles that all reads together waited for a read port.

  /// Adds the counts of further tables.
  TableCounters& operator+=(const TableCounters& other) {
    reads += other.reads;
    wait_cycles += other.wait_cycles;
    return *this;
  }
};

/// Routers and links of a virtual-channel network with a given topology. Nodes are bound to inject() and
/// eject() from outside. Topology, routing and packet pool must outlive the network.
class VcNetwork final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "network: " + topology_.name(); }
  /// Adds the routing, and links, which are not objects of the kernel.
  void add_parts(PartList& parts) const override;

  /// Makes the route look-up of a router.
  using MakeLookup = std::function<std::unique_ptr<RouteLookup>(graph::RouterId)>;
  /// Selects links whose two ends are connected by pins, with timing identical to a shared ring buffer. Empty
  /// functions select none.
  struct PinChoice {
    /// Selects links between routers, by index into Topology::links().
    std::function<bool(std::uint32_t link)> links = {};
    /// Selects the links of a node.
    std::function<bool(NodeId node)> nodes = {};
  };
  /// Parts from which a network is built.
  struct Parts {
    const VcNetworkConfig& config;           ///< Virtual channels, buffers and routers; outlives the network.
    const graph::Topology& topology;         ///< Routers, links and nodes; outlives the network.
    const routing::Routing& routing;         ///< Routing algorithm; outlives the network.
    PacketPool& pool;                        ///< Memory of the packets; outlives the network.
    std::uint64_t seed = 1;                  ///< Seed of the routers' random numbers.
    router::RouterEvents* events = nullptr;  ///< Receiver of the routers' events, such as drops; null: none.
    router::RouterPackets* packets =
        nullptr;  ///< Accounting of packets that routers create themselves; null: they create none.
    MakeLookup make_lookup = {};          ///< Empty: one LocalLookup with rc_cycles serves all routers.
    Arena* arena = nullptr;               ///< Memory of the routers' buffers and tables; never null.
    router::RouterKind router_kind = {};  ///< Kind without `make`: the configured kind.
    PinChoice over_pins = {};             ///< Links that consist of pins.
    bool counts_waits = false;            ///< Routers count waits (RouterParts::counts_waits).
    const routing::NetworkQueues* queues = nullptr;  ///< Queues of all routers (RouterParts::queues).
    bool links_fail = false;                         ///< Links may fail during the run.
    bool whole_packets = false;  ///< Channels pass packets (FlitChannelConfig::whole_packets).
    /// Ranks that run the modules, all of which each of them has; null: all run here.
    mpi::Ranks* ranks = nullptr;
    bool dense = false;  ///< Without modules of routers and links: set_dense() is called before the start.
    /// Selects routers with one additional port for control messages, after the ports of the topology.
    std::function<bool(graph::RouterId)> control_port = {};
    /// Called repeatedly during construction with the share of the network that is built, and with 1 when the
    /// simulation starts; may be empty.
    std::function<void(double share)> progress = {};
  };

  /// Builds routers and links; nodes are bound before elaboration ends.
  VcNetwork(sc_core::sc_module_name name, ClockDomain& domain, const Parts& parts);
  /// The clock must not run its modules any more.
  ~VcNetwork() override;

  /// Routers, links and nodes.
  const graph::Topology& topology() const { return topology_; }
  /// Virtual channels, buffers and routers.
  const VcNetworkConfig& config() const { return config_; }
  /// The node's ends of its links; one object for both in networks with bidirectional node links.
  FlitEndIf& inject(NodeId node) { return node_links_[node].inject->a(); }
  /// The node's end of the link that ejects; the object of inject() for a bidirectional link.
  FlitEndIf& eject(NodeId node);
  /// Far end of a router's control port; null if the router has none.
  FlitEndIf* control(graph::RouterId id);
  /// Far end of a port; the far end of a control port looks like that of a node's port.
  graph::Topology::Far far(graph::RouterId router, unsigned port) const;
  /// True if the node has one bidirectional link.
  bool one_link(NodeId node) const { return node_links_[node].eject == nullptr; }

  /// Kind of all routers.
  const router::RouterKind& router_kind() const { return router_kind_; }
  /// A router; valid after the end of elaboration. Of a dense network: a view for reports.
  router::FlitRouter& router(graph::RouterId id);
  /// A router; valid after the end of elaboration. Of a dense network: a view for reports.
  const router::FlitRouter& router(graph::RouterId id) const;
  /// Abilities that the operation requires of the router; throws ModelError if the router lacks one.
  router::PurgingRouter& purging(graph::RouterId id, Cycle now) {
    return needed(router(id), router(id).purging(), now, "purge packets");
  }
  /// Ability to route waiting heads again; throws ModelError if the router lacks it.
  router::ReroutingRouter& rerouting(graph::RouterId id, Cycle now) {
    return needed(router(id), router(id).rerouting(), now, "route heads again");
  }
  /// SystemC module of a router.
  router::RouterModule& module(graph::RouterId id) {
    require_modules();
    return *routers_[id];
  }
  /// SystemC module of a router.
  const router::RouterModule& module(graph::RouterId id) const {
    require_modules();
    return *routers_[id];
  }
  /// Number of routers.
  unsigned routers() const { return topology_.routers(); }
  /// A link; for a link over pins, its half at end a.
  FlitLink& link(std::uint32_t index) {
    require_modules();
    return *links_[index];
  }
  /// A link; for a link over pins, its half at end a.
  const FlitLink& link(std::uint32_t index) const {
    require_modules();
    return *links_[index];
  }
  /// Flits that have been sent into a link's direction before cycle `now`; empty if the direction does not
  /// exist.
  std::optional<std::uint64_t> flits_sent(std::uint32_t link, bool forward, Cycle now) const;
  /// True if the network consists of neighbourhoods (dense::DenseNetwork) and has no modules of routers and
  /// links. Functions that return these, or channels, then throw ModelError.
  bool is_dense() const { return is_dense_; }
  /// Sets the state of a dense network, which outlives this object. Called once, after the construction.
  void set_dense(dense::DenseNetwork& state);
  /// The state of a dense network. ModelError for another one.
  dense::DenseNetwork& dense();
  /// Sets the observer of all heads of a dense network; null: none (DenseNetwork::watch_heads).
  void watch_heads(dense::HeadWatch* watch);
  /// True if any link consists of pins.
  bool has_pins() const { return !pins_.empty(); }
  /// Lookahead of the links in addition to their latencies: pins are sampled in every cycle.
  Cycle lookahead_cycles() const { return has_pins() ? 1 : never; }

  /// A channel with its two ends. An end is a router's port or, if its `router` is graph::none, a node or the
  /// end at a router's control port. For a link over pins, the receiver's channel.
  struct ChannelPlace {
    FlitChannel* channel = nullptr;  ///< The channel.
    graph::PortRef from,             ///< Port that sends.
        to;                          ///< Port that receives.
    std::optional<End> from_node,    ///< Sending node or control port; empty: `from` sends.
        to_node;                     ///< Receiving node or control port; empty: `to` receives.

    /// The place of a channel between two ports of routers.
    static ChannelPlace between_routers(FlitChannel* channel, graph::PortRef from, graph::PortRef to) {
      ChannelPlace place;  ///< Its ends.
      place.channel = channel;
      place.from = from;
      place.to = to;
      return place;
    }
  };
  /// All channels, in an order determined by the topology.
  std::vector<ChannelPlace> channels();

  /// Buffers and flits of a channel, whose `place.channel` is null in a dense network.
  struct ChannelUse {
    ChannelPlace place;      ///< Its ends.
    unsigned vcs = 1,        ///< Virtual channels.
        depth_flits = 1;     ///< Places in the buffer of each.
    std::uint64_t sent = 0,  ///< Flits sent since the start of the simulation.
        held = 0;            ///< Flits on the wires and in the buffers; 0 at a node of a dense network.
  };
  /// Use of all channels, in the order of channels(). Call it between two cycles.
  std::vector<ChannelUse> channel_uses();

  /// An input virtual channel of a router.
  struct InputPlace {
    graph::PortRef port;  ///< Input port of a router.
    unsigned vc = 0;      ///< Virtual channel.
  };
  /// Calls visit(packet, place) for each flit in a router's buffers and on the channels to it, and for
  /// packets whose received flits have all left while further flits are still to arrive. Call it between two
  /// cycles.
  void visit_packets_at(graph::RouterId router, Cycle now,
                        const std::function<void(PacketIndex, const InputPlace&)>& visit);
  /// Removes a packet, some of which is at `place`, from all routers that it spans. Call it between two
  /// cycles. The cost is proportional to the span. Throws ModelError in a network with pins, across which
  /// packets cannot be purged.
  void purge(PacketIndex packet, const InputPlace& place, Cycle now);

  /// Counters of a router.
  router::RouterCounters counters(graph::RouterId id) const;
  /// Sum of the counters of all routers.
  router::RouterCounters counters() const;
  /// Sums of the prediction counters of all routers.
  router::PredictionCounters prediction_counters() const;
  /// Prediction counters of a router that predicts.
  router::PredictionCounters prediction_counters(graph::RouterId id) const;
  /// Prediction counters of an input port of a router that predicts.
  router::PredictionCounters prediction_counters_at(const graph::PortRef& port) const;
  /// True if routers have tables with read ports (Routing::table_reads) that no look-up hardware replaces.
  bool has_tables() const { return !tables_.empty(); }
  /// Sums over all routing tables.
  TableCounters table_counters() const;
  /// Cycle after which nothing moves without outside input: the latest cycle that a stage, a flit or a credit
  /// in flight leads to, or the first one found that is later than `now`.
  Cycle last_event(Cycle now) const;
  /// Flits in buffers, routers and on channels, including killed ones; a flit that is held twice counts once.
  std::uint64_t flits_in_flight() const;
  /// Sums over all links; zeros for links without errors.
  LinkErrorSums link_errors() const;
  /// Calls FlitChannel::check_credits() for all channels. Call it between two cycles.
  void check_credits(Cycle now) const;
  /// Calls visit(packet) for the flits in buffers, routers and on channels, except killed flits: at least
  /// once for a packet that has such flits.
  void visit_packets_in_flight(const std::function<void(PacketIndex)>& visit) const;

 private:
  void add_modules(ClockDomain& domain, const Parts& parts);
  void require_modules() const {
    if (is_dense_) refuse_modules();
  }
  [[noreturn]] void refuse_modules() const;
  /// Sum of counts of this rank's modules over all ranks.
  template <class Counts>
  Counts of_all_ranks(const Counts& own) const {
    return ranks_ == nullptr ? own : ranks_->sum_of(own);
  }
  /// False for a router that only another rank can count.
  bool may_count(graph::RouterId id) const;
  /// Counts of a router by `count(router)`, on whichever rank it is.
  template <class Count>
  auto counts_of(graph::RouterId id, const Count& count) const {
    decltype(count(router(id))) own{};
    if (may_count(id)) own = count(router(id));
    return of_all_ranks(own);
  }
  void sum_uses(std::vector<ChannelUse>& uses) const;

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
  /// Half of a link at its end b; the whole link if its ends share their rings.
  FlitLink& far_half(FlitLink& link) const;
  void add_errors(FlitChannel* channel, const FlitChannelConfig& config, std::uint64_t seed,
                  unsigned failed_lanes = 0);
  /// Calls `visit` for every channel.
  template <class Visit>
  void visit_channels(const Visit& visit) const;
  void visit_held_twice(const std::function<void(PacketIndex)>& visit) const;
  FlitChannelConfig channel(Cycle latency_cycles, unsigned vcs,
                            const graph::LinkClass& link_class = {}) const;
  std::unique_ptr<RouteLookup> make_table(const routing::Routing& routing, graph::RouterId id);
  bool step_back(PacketIndex packet, InputPlace& place, Cycle now);
  void bind(const graph::PortRef& port, FlitEndIf& end) { routers_[port.router]->bind_port(port.port, end); }

  const VcNetworkConfig config_;
  const graph::Topology& topology_;
  const routing::Routing& routing_;  ///< The initial routing.
  const bool whole_packets_;
  const bool is_dense_;
  dense::DenseNetwork* dense_ = nullptr;
  mpi::Ranks* const ranks_;
  const std::function<void(double)> progress_;
  router::RouterKind router_kind_;
  std::vector<std::unique_ptr<ObjectBlock>> blocks_;
  std::vector<std::unique_ptr<RouteLookup>> lookups_;
  /// Those tables in lookups_, or of a dense network, that have read ports.
  std::vector<const lookup::PortedTable*> tables_;
  std::vector<std::unique_ptr<FlitLink>> links_;
  std::vector<NodeLinks> node_links_;
  std::vector<std::unique_ptr<LinkErrors>>
      errors_;  ///< By channel, in the order of construction; empty: none err.
  std::map<const FlitLink*, std::unique_ptr<PinLink>> pins_;  ///< Pins of links that have them.
  std::map<graph::RouterId, std::unique_ptr<FlitLink>> control_links_;
  graph::Topology::Far behind_control_port_;
  std::vector<std::unique_ptr<router::RouterModule>> routers_;
  unsigned routers_made_ = 0;
};

}  // namespace tsuji::network
