// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/graph/topology.h"
#include "tsuji/mpi/ranks.h"
#include "tsuji/network/config/vc_network_config.h"
#include "tsuji/network/dense/cut_wires.h"
#include "tsuji/network/dense/gathered_heads.h"
#include "tsuji/network/dense/neighbourhood.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::network::dense {

/// All routers, links and nodes of a network as neighbourhoods (Neighbourhood).
class DenseNetwork {
 public:
  struct Parts {
    const VcNetworkConfig& config;
    const graph::Topology& topology;
    const routing::Routing& routing;
    PacketPool& pool;
    router::RouterEvents& router_events;
    traffic::FlitNodeEvents& node_events;
    const traffic::FlitNodeConfig& node_config;
    std::uint64_t seed;
    Arena& arena;
    ClockDomain& domain;
    std::function<std::unique_ptr<traffic::EmissionSource>(NodeId)> make_source;
    /// Look-up hardware of a router's switch, whose answers have known times; empty: there is none.
    std::function<std::unique_ptr<RouteLookup>(graph::RouterId)> make_lookup;
    std::function<void(double share)> progress;
    unsigned threads = 1;         ///< number of neighbourhoods at least, unless there are fewer routers
    bool may_be_watched = false;  ///< watch_heads() may be called
    bool counts_waits = false;    ///< routers count (router::CountingRouter)
    bool passes_whole = false;    ///< RouterShared::passes_whole
    mpi::Ranks* ranks = nullptr;  ///< routers and nodes are divided among these ranks; null: all are here
  };
  explicit DenseNetwork(const Parts& parts);
  DenseNetwork(const DenseNetwork&) = delete;
  DenseNetwork& operator=(const DenseNetwork&) = delete;
  ~DenseNetwork();

  /// Returns true for a configuration whose routers this class models, in a network of this topology and
  /// routing. Nobody may need routers, links or nodes as modules. `whole_packets`: nobody may need single
  /// flits, either. `looks_up`: with Parts::make_lookup.
  static bool suffices(const VcNetworkConfig& config, const graph::Topology& topology,
                       const routing::Routing& routing, bool whole_packets, bool looks_up);

  /// suffices() without the parts that depend on topology and routing.
  static bool routers_suffice(const VcNetworkConfig& config, bool whole_packets);

  /// Input virtual channels, or output ones, that a router may have.
  static unsigned most_router_vcs();

  /// Packets and accounts of the nodes of a thread.
  struct OfThread {
    PacketPool* pool;
    traffic::FlitNodeEvents* events;
  };
  /// The clock has divided the neighbourhoods among threads. Called before the first cycle.
  void enter_threads(const ClockDomain& domain, const std::vector<OfThread>& threads);
  /// Passes on what crosses between threads, which have run all cycles up to `last`.
  void exchange(Cycle last) { crossings_.exchange(last); }

  /// Appends to the message for a rank what crosses to it; all ranks have run all cycles up to `last`.
  /// Returns the first cycle in which something of it arrives; `never`: nothing does.
  Cycle put_crossing(unsigned rank, Cycle last, mpi::Bytes& message) {
    return cut_wires_->put(rank, last, message);
  }
  /// Departures of heads of all threads or ranks; null without Parts::may_be_watched, and on one thread of
  /// one rank.
  GatheredHeads* gathered_heads() const { return gathered_heads_.get(); }
  /// Lets arrive what crosses from a rank.
  void take_crossing(unsigned rank, Cycle last, mpi::Reader& message) {
    cut_wires_->take(rank, last, message);
  }

  /// Sets the observer of all heads, which outlives the run; null: none. Between two cycles. ModelError
  /// without Parts::may_be_watched.
  void watch_heads(HeadWatch* watch);

  /// Adds a watch, which outlives the run, to the cycles of a router, before the first one. ModelError on
  /// several threads or ranks, and for routers that predict.
  void watch(graph::RouterId router, RouterWatch& watch, const RouterWatchPlan& plan);
  /// No cycle from `now` on runs: watches see what is still on the wires (WatchedRouter::end).
  void end_watches(Cycle now);
  /// Cycles from a decision to the cycle in which the far end acts.
  struct ChannelTimes {
    Cycle flit;       ///< of a flit
    Cycle departure;  ///< of a flit, to its first cycle on the wires
    Cycle credit;     ///< of a credit, in the other direction
  };
  /// Of all channels, in the order of VcNetwork::channels().
  std::vector<ChannelTimes> channel_times() const;
  /// Numbers of the first virtual channels of a port in RouterWatch.
  unsigned first_input_vc(const graph::PortRef& port) const;
  unsigned first_output_vc(const graph::PortRef& port) const;

  /// All neighbourhoods, as members of the clock.
  std::vector<Clocked*> modules() const;
  /// The bells of all nodes, which run in groups of the clock before those of modules(); empty: no source
  /// owns channels.
  std::vector<Clocked*> bells() const;
  template <class Visit>
  void visit_nodes(const Visit& visit) const {
    for (const Node* const node : nodes_)
      if (node != nullptr) visit(*node);
  }
  /// True if the node is on this rank.
  bool has(NodeId node) const { return nodes_[node] != nullptr; }
  /// Node::source_changed() of a node of this rank.
  void source_changed(NodeId node, Cycle now) { nodes_[node]->source_changed(now); }
  /// True if the router is on this rank.
  bool has_router(graph::RouterId router) const { return routers_[router] != nullptr; }
  /// True if a node of this rank is in the neighbourhood of the router.
  bool together(const Node& node, graph::RouterId router) const {
    return routers_[router] != nullptr && &node.home() == &routers_[router]->home();
  }

  // Between two cycles. With several ranks all of them call each of these functions, visit_nodes() and
  // visit_packets_in_flight() excepted, which see those of this rank.

  /// View of a router for reports, without channels.
  router::FlitRouter& router(graph::RouterId id) const;
  /// Flits sent into a link's direction before cycle `now`.
  std::uint64_t flits_sent(std::uint32_t link, bool forward, Cycle now) const;
  /// Flits sent out of a port of a router.
  std::uint64_t flits_sent(const graph::PortRef& port) const;
  /// Flits in the buffers of a port of a router and on the wires to it.
  std::uint64_t flits_held(const graph::PortRef& port) const;
  /// Flits that a node has sent.
  std::uint64_t flits_sent_by(NodeId node) const;
  router::RouterCounters counters() const;
  /// Flits that nodes, or routers, have sent with the heads of their packets and that leave in cycle `now` or
  /// later. Of this rank, where no packets are passed whole on several ones.
  std::uint64_t flits_to_come(bool from_nodes, Cycle now) const;
  router::PredictionCounters prediction_counters() const;
  /// Tables with read ports of this rank's routers; empty if routers have none.
  std::vector<const lookup::PortedTable*> tables() const;
  std::uint64_t flits_in_flight() const;
  /// VcNetwork::visit_packets_in_flight().
  void visit_packets_in_flight(const std::function<void(PacketIndex)>& visit) const;
  /// Calls visit(PacketIndex) for the packets of this rank whose last flit is still on another one.
  template <class Visit>
  void visit_arriving(const Visit& visit) const {
    cut_wires_->visit_arriving(visit);
  }
  /// ModelError if flits and credits of a virtual channel do not add up to its buffer.
  void check_credits(Cycle now) const;
  Cycle last_event(Cycle now) const;

 private:
  class View;
  struct Delays;

  void reserve_queues();
  void add_neighbourhoods(const Parts& parts);
  struct NodesOf;
  void add_neighbourhood(const Parts& parts, const NodesOf& nodes_of, const graph::RouterId* first,
                         const graph::RouterId* end);
  void add_prediction(Router& router, Arena& arena) const;
  std::vector<graph::RouterId> own_routers(unsigned group);
  void connect();
  struct RouterEnd;
  struct NodeEnd;
  template <class Visit>
  void visit_directions(const Visit& visit) const;
  unsigned rank_of(graph::RouterId router) const { return ranks_ == nullptr ? 0 : rank_of_[router]; }
  std::uint64_t own_flits_held(const graph::PortRef& port) const;
  struct WholeCounts;
  struct WholeState;
  /// A count of a port of any rank; `count` gives it for a port of this one.
  std::uint64_t of_port(WholeCounts& whole, const graph::PortRef& port,
                        std::uint64_t (DenseNetwork::*count)(const graph::PortRef&) const) const;
  std::uint64_t own_flits_sent(const graph::PortRef& port) const;

  const VcNetworkConfig& config_;
  const graph::Topology& topology_;
  const RouterWidth& width_;
  const Slots slots_;
  RouterShared router_shared_;
  HeadQueues queues_;
  NodeShared node_shared_;
  std::vector<NodeShared> node_shared_of_;  ///< [thread], with several threads
  Crossings crossings_;
  mpi::Ranks* const ranks_;
  const ClockDomain& domain_;
  std::vector<std::uint16_t> rank_of_;   ///< [router]; empty: all are here
  std::unique_ptr<CutWires> cut_wires_;  ///< null: all are here
  std::unique_ptr<GatheredHeads> gathered_heads_;
  std::vector<HeadWatch*> watches_;    ///< [thread]
  std::unique_ptr<WholeState> whole_;  ///< null: all are here
  std::vector<std::unique_ptr<Neighbourhood>> neighbourhoods_;
  std::vector<Router*> routers_;                      ///< [router]
  std::vector<Node*> nodes_;                          ///< [node]
  mutable std::vector<std::unique_ptr<View>> views_;  ///< [router], made when they are first asked for
};

}  // namespace tsuji::network::dense
