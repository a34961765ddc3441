// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/faults/reconfiguration_node.h"

namespace tsuji::test {

using faults::ControlKind;
using faults::ReconfigurationNode;
using graph::RouterId;
using graph::Topology;

/// Nodes of the reconfiguration protocol, and links that carry their messages in order, after a fixed or
/// random number of cycles. Links and routers die and return; both ends detect this one cycle later.
class ProtocolNet {
 public:
  using Phase = ReconfigurationNode::Phase;

  explicit ProtocolNet(const Topology& topology, faults::ReconfigurationConfig config = {},
                       const routing::DetourConfig& detour = {}, std::uint64_t seed = 0)
      : topology_(topology), config_(config), plans_(topology, detour), random_(seed, 9), draws_(seed != 0) {
    for (RouterId router = 0; router < topology.routers(); ++router)
      nodes_.push_back(std::make_unique<ReconfigurationNode>(router, plans_, config));
    wires_.resize(2 * topology.links().size());
    link_dead_.resize(topology.links().size());
    found_.resize(topology.links().size(), true);
    router_dead_.resize(topology.routers());
    rooted_.insert(faults::LinkStates(topology.links().size()));
  }

  const ReconfigurationNode& node(RouterId router) const { return *nodes_[router]; }
  Cycle now() const { return now_; }
  bool router_lives(RouterId router) const { return !router_dead_[router]; }
  bool lives(std::uint32_t link) const {
    const graph::RouterLink& ends = topology_.links()[link];
    return !link_dead_[link] && !router_dead_[ends.a.router] && !router_dead_[ends.b.router];
  }
  /// Called with each message that leaves.
  std::function<void(RouterId, const faults::OutgoingControl&)> on_sent;

  void set_link(std::uint32_t link, bool lives) {
    link_dead_[link] = !lives;
    clear_dead_wires();
  }
  void set_router(RouterId router, bool lives) {
    router_dead_[router] = !lives;
    // A router that returns has no knowledge, except that it detects its dead links.
    if (lives) returned_.push_back(router);
    clear_dead_wires();
  }

  void run_cycle() {
    ++now_;
    for (RouterId router : returned_)
      nodes_[router] = std::make_unique<ReconfigurationNode>(router, plans_, config_, false);
    find_changes();
    returned_.clear();
    for (std::uint32_t wire = 0; wire < wires_.size(); ++wire) deliver(wire);
    for (RouterId router = 0; router < nodes_.size(); ++router) {
      if (router_dead_[router]) continue;
      nodes_[router]->step(now_);
      for (const faults::OutgoingControl& out : nodes_[router]->take_messages()) send(router, out);
      if (node(router).in_use().root() == router) rooted_.insert(node(router).in_use().states());
    }
  }
  bool quiet() const {
    for (RouterId router = 0; router < nodes_.size(); ++router)
      if (!router_dead_[router] && nodes_[router]->next_event() != never) return false;
    for (const auto& wire : wires_)
      if (!wire.empty()) return false;
    for (std::uint32_t link = 0; link < found_.size(); ++link)
      if (found_[link] != lives(link)) return false;
    return returned_.empty();
  }
  /// Runs until no message is in flight, and returns that cycle. Calls `look` after each cycle.
  Cycle run_until_quiet(const std::function<void()>& look = [] {}) {
    const Cycle limit = now_ + 1'000'000;
    do {
      run_cycle();
      look();
      REQUIRE(now_ < limit);
    } while (!quiet());
    return now_;
  }

  /// Whether a living link joins two nodes that run with different tables.
  bool generations_meet() const {
    for (std::uint32_t link = 0; link < found_.size(); ++link) {
      const ReconfigurationNode& a = node(topology_.links()[link].a.router);
      const ReconfigurationNode& b = node(topology_.links()[link].b.router);
      if (lives(link) && !a.suspended() && !b.suspended() && a.in_use().states() != b.in_use().states())
        return true;
    }
    return false;
  }
  /// Also requires that a node takes no tables that their root does not have, and does not run in a known
  /// fault region.
  void require_one_generation() const {
    INFO("cycle " << now_);
    REQUIRE_FALSE(generations_meet());
    for (RouterId router = 0; router < nodes_.size(); ++router) {
      const ReconfigurationNode& here = node(router);
      INFO("router " << router);
      REQUIRE(rooted_.count(here.in_use().states()) != 0);
      if (!here.suspended() && here.known().states() != here.in_use().states())
        REQUIRE_FALSE(here.known().in_region(router));
    }
  }
  /// Requires that all routers of the surviving part run with tables for exactly its faults, and the others
  /// are suspended.
  void require_reconfigured() const {
    graph::FaultSet truth;
    for (std::uint32_t link = 0; link < found_.size(); ++link)
      if (!lives(link)) truth.links.push_back(link);
    const graph::LivingNetwork network(topology_, truth);
    for (RouterId router = 0; router < nodes_.size(); ++router) {
      if (router_dead_[router]) continue;
      INFO("cycle " << now_ << ": router " << router << " is " << phase_name(node(router).phase()));
      if (!network.lives(router)) {
        REQUIRE(node(router).phase() == Phase::cut_off);
        continue;
      }
      REQUIRE(node(router).phase() == Phase::running);
      REQUIRE(node(router).in_use().root() == node(one_of(network)).in_use().root());
      for (std::uint32_t link = 0; link < found_.size(); ++link) {
        const graph::RouterLink& ends = topology_.links()[link];
        // Faults among cut-off routers are not reported to the others.
        if (network.lives(ends.a.router) || network.lives(ends.b.router))
          REQUIRE(node(router).in_use().states().lives(link) == lives(link));
      }
    }
  }

 private:
  struct Carried {
    Cycle arrival;
    faults::ControlMessage message;
  };

  /// Any router of the surviving part.
  RouterId one_of(const graph::LivingNetwork& network) const {
    RouterId router = 0;
    while (!network.lives(router)) ++router;
    return router;
  }
  void find_changes() {
    for (std::uint32_t link = 0; link < found_.size(); ++link) {
      const graph::RouterLink& ends = topology_.links()[link];
      const bool changed = found_[link] != lives(link);
      found_[link] = lives(link);
      for (const graph::PortRef& end : {ends.a, ends.b}) {
        const bool returned = std::count(returned_.begin(), returned_.end(), end.router) != 0;
        // A router that returns takes its links for living until it checks them.
        if (router_dead_[end.router] || (returned ? lives(link) : !changed)) continue;
        nodes_[end.router]->link_changed(end.port, lives(link), now_);
      }
    }
  }
  void clear_dead_wires() {
    for (std::uint32_t link = 0; link < found_.size(); ++link)
      if (!lives(link)) wires_[2 * link].clear(), wires_[2 * link + 1].clear();
  }
  void send(RouterId router, const faults::OutgoingControl& out) {
    if (on_sent) on_sent(router, out);
    const Topology::Far& far = topology_.far(router, out.port);
    if (!lives(far.link)) return;
    const graph::PortRef& a = topology_.links()[far.link].a;
    auto& wire = wires_[2 * far.link + (a.router == router && a.port == out.port ? 0 : 1)];
    const Cycle arrival = now_ + 1 + (draws_ ? random_.below(20) : 0);
    wire.push_back({wire.empty() ? arrival : std::max(arrival, wire.back().arrival), out.message});
  }
  void deliver(std::uint32_t wire) {
    const graph::RouterLink& link = topology_.links()[wire / 2];
    const RouterId to = wire % 2 == 0 ? link.b.router : link.a.router;
    while (!wires_[wire].empty() && wires_[wire].front().arrival <= now_) {
      const faults::ControlMessage message = wires_[wire].front().message;
      wires_[wire].pop_front();
      nodes_[to]->receive(message, now_);
    }
  }

  const Topology& topology_;
  faults::ReconfigurationConfig config_;
  faults::PlanBook plans_;
  CounterRandom random_;
  bool draws_;
  Cycle now_ = 0;
  std::vector<std::unique_ptr<ReconfigurationNode>> nodes_;
  std::vector<std::deque<Carried>> wires_;  ///< per link and direction, from a to b first
  std::vector<bool> link_dead_, router_dead_, found_;
  std::vector<RouterId> returned_;
  std::set<faults::LinkStates> rooted_;
};

}  // namespace tsuji::test
