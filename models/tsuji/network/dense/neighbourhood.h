// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/described.h"
#include "tsuji/network/dense/mask_router.h"
#include "tsuji/network/dense/node.h"

namespace tsuji::network::dense {

/// Member of the clock that channels of a node's source wake. It runs before the neighbourhoods of its cycle.
class NodeBell final : public Clocked {
 public:
  NodeBell(ClockDomain& domain, Node& node) : Clocked(domain), node_(node) {}
  void step(Cycle now) override { node_.ring(now); }
  void bind() { node_.source().bind(*this); }

 private:
  Node& node_;
};

/// Adjacent routers and their nodes as one module of the clock: in each cycle it runs those for which
/// something arrives or a stage ends, routers first. All their state is in one arena. Units of other
/// neighbourhoods write into the rows of its units and wake it.
class Neighbourhood final : public sc_core::sc_module, public Clocked, public Described {
 public:
  static constexpr unsigned most_units = 64;  ///< routers and nodes

  std::string stands_for() const override { return "routers and nodes of a part of the network"; }
  Neighbourhood(sc_core::sc_module_name name, ClockDomain& domain, unsigned routers, const RouterWidth& width,
                const Slots& slots, Arena& arena);
  ~Neighbourhood() override;

  /// Adds a router, which is to be built at once with the same ports and arena. Called for the number of
  /// routers, before nodes are added.
  Router& add_router(const std::vector<PortShape>& ports, Arena& arena) {
    routers_.push_back(width_.make(ports, arena));
    return *routers_.back();
  }
  /// Adds a node. Called for at most the number of nodes of reserve_nodes().
  Node& add_node(NodeId id, const NodeShared& shared, std::unique_ptr<traffic::EmissionSource> source,
                 Arena& arena, HeadQueues& queues);
  void reserve_nodes(unsigned nodes, Arena& arena);
  Home& home() { return home_; }
  const Home& home() const { return home_; }
  /// Takes the wake-up handle, once the clock has ordered its modules, and begins the nodes.
  void bind();

  /// All neighbourhoods have joined their threads (Home::join). `nodes`: what the nodes of this one's thread
  /// share.
  void join_threads(const NodeShared& nodes, Crossings& crossings);
  /// From now on the routers have these additions to their cycle (RouterShared::more).
  void do_more(unsigned more) {
    run_ = width_.runner(more);
    run_nodes_ = Node::runner((more & RouterShared::whole) != 0, width_.row.bytes == sizeof(SlimBits),
                              !bells_.empty());
  }
  /// Calls visit(NodeBell) for the bells of nodes whose sources own channels.
  template <class Visit>
  void visit_bells(const Visit& visit) {
    for (NodeBell& bell : bells_) visit(bell);
  }

  /// Adds a watch to the router of this number (Router::watch_by).
  void watch(unsigned router, RouterWatch& watch, const RouterWatchPlan& plan);
  /// WatchedRouter::end() of all routers.
  void end_watches(Cycle now);

  void step(Cycle now) override;

 private:
  void end_of_elaboration() override { bind(); }
  void run_watched(Bits routers, const Moment& at, Work& work);

  Home home_;
  const RouterWidth& width_;
  std::vector<Router*> routers_;
  Node* nodes_ = nullptr;
  unsigned router_count_, node_count_ = 0;
  const Bits router_units_;  ///< units that are routers
  Router::Run run_;
  Node::Run run_nodes_ = nullptr;  ///< null before do_more()
  std::deque<NodeBell> bells_;     ///< one a node, or none
  Bits watched_units_ = 0;
  std::vector<std::unique_ptr<WatchedRouter>> watched_;  ///< [router]; empty: none is watched
};

}  // namespace tsuji::network::dense
