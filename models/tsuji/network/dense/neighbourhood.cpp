// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/neighbourhood.h"

#include <new>
#include <utility>

namespace tsuji::network::dense {

Neighbourhood::Neighbourhood(sc_core::sc_module_name module_name, ClockDomain& domain, unsigned routers,
                             const RouterWidth& width, const Slots& slots, Arena& arena)
    : sc_module(module_name),
      Clocked(domain),
      width_(width),
      router_count_(routers),
      router_units_(routers == most_units ? ~Bits{0} : bit(routers) - 1),
      run_(width.runner(0)) {
  home_.build(slots, arena);
  routers_.reserve(routers);
}

Neighbourhood::~Neighbourhood() {
  for (unsigned n = 0; n < node_count_; ++n) nodes_[n].~Node();
  for (Router* const router : routers_) router->~Router();
}

void Neighbourhood::reserve_nodes(unsigned nodes, Arena& arena) {
  nodes_ = static_cast<Node*>(arena.take(nodes * sizeof(Node), alignof(Node)));
}

Node& Neighbourhood::add_node(NodeId id, const NodeShared& shared,
                              std::unique_ptr<traffic::EmissionSource> source, Arena& arena,
                              HeadQueues& queues) {
  Node* const node = new (nodes_ + node_count_)
      Node(id, shared, std::move(source), arena, home_, router_count_ + node_count_, queues);
  ++node_count_;
  if (shared.config.asks_always) bells_.emplace_back(domain(), *node);
  return *node;
}

void Neighbourhood::bind() {
  home_.bind(waker());
  for (unsigned n = 0; n < node_count_; ++n) nodes_[n].begin();
  for (NodeBell& bell : bells_) bell.bind();
}

void Neighbourhood::join_threads(const NodeShared& nodes, Crossings& crossings) {
  for (unsigned r = 0; r < router_count_; ++r) routers_[r]->join_threads(crossings);
  for (unsigned n = 0; n < node_count_; ++n) nodes_[n].join_threads(nodes, crossings);
}

void Neighbourhood::watch(unsigned router, RouterWatch& watch, const RouterWatchPlan& plan) {
  watched_.resize(router_count_);
  watched_[router] = routers_[router]->watch_by(watch, plan);
  watched_units_ |= bit(router);
}

void Neighbourhood::end_watches(Cycle now) {
  for (const auto& one : watched_)
    if (one != nullptr) one->end(now);
}

/// Routers of a neighbourhood hear of each other in later cycles, so they run between all watches.
void Neighbourhood::run_watched(Bits routers, const Moment& at, Work& work) {
  const Bits watched = routers & watched_units_;
  for (Bits rest = watched; rest != 0; rest &= rest - 1) watched_[lowest(rest)]->before(at);
  run_(routers_.data(), routers, at, work);
  for (Bits rest = watched; rest != 0; rest &= rest - 1) watched_[lowest(rest)]->after(at);
}

void Neighbourhood::step(Cycle now) {
  const Moment at = home_.moment(now);
  const Bits units = home_.take(at);
  const Bits routers = units & router_units_, nodes = units ^ routers;
  Work work;
  if (seldom(watched_units_ != 0)) {
    run_watched(routers, at, work);
  } else if (routers != 0) {
    run_(routers_.data(), routers, at, work);
  }
  if (nodes != 0) run_nodes_(nodes_, router_count_, nodes, at, work);
  if (work.grants != 0) {
    home_.note(now + 1);
  } else if (work.arrivals != 0) {
    home_.note(now);
  }
  home_.call_others(at, units);
  home_.again(at, work.again);
  home_.rest(at);
}

}  // namespace tsuji::network::dense
