// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_units.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {

using graph::RouterId;

namespace {

constexpr Cycle channel_cycles = 1;  // between a node's bridge and the unit

}  // namespace

TreeUnits::TreeUnits(const Parts& parts)
    : config_(parts.config),
      tree_(parts.topology, parts.faults, parts.config.root),
      channel_(parts.of_nodes, tree_, parts.topology, parts.vc),
      of_links_(parts.topology.links().size()),
      of_nodes_(parts.topology.nodes()),
      ports_(parts.topology.routers()) {
  if (!tree_.circle().empty()) throw ModelError("tree of units", "its FIFOs may wait in a circle");
  make_channels(parts.topology);
}

void TreeUnits::make_channels(const graph::Topology& topology) {
  const auto pair = [](const std::string& out, const std::string& in, Cycle cycles) {
    return Pair{std::make_unique<PacketLink>(out.c_str(), cycles, RoomSignal::credits),
                std::make_unique<PacketLink>(in.c_str(), cycles, RoomSignal::credits)};
  };
  for (RouterId router = 0; router < tree_.routers(); ++router) {
    for (const NodeTree::TreeLink& one : tree_.links(router)) {
      if (!one.at_a) continue;
      const std::string here = std::to_string(router), there = std::to_string(one.neighbour);
      of_links_[one.link] = pair("tree_" + here + "_to_" + there, "tree_" + there + "_to_" + here,
                                 topology.links()[one.link].latency_cycles);
    }
    for (const NodeId node : tree_.nodes(router)) {
      const std::string name = "node" + std::to_string(node);
      of_nodes_[node] = pair(name + "_to_unit", name + "_from_unit", channel_cycles);
    }
  }
}

std::unique_ptr<traffic::EmissionSource> TreeUnits::make_port(RouterId router) {
  if (!tree_.contains(router)) return nullptr;
  std::vector<TreePort::Channels> channels;
  for (const NodeTree::TreeLink& one : tree_.links(router)) {
    const Pair& own = of_links_[one.link];
    channels.push_back({(one.at_a ? own.out : own.in).get(), (one.at_a ? own.in : own.out).get()});
  }
  for (const NodeId node : tree_.nodes(router))
    channels.push_back({of_nodes_[node].in.get(), of_nodes_[node].out.get()});
  const std::string name = "unit" + std::to_string(router);
  auto port = std::make_unique<TreePort>(name.c_str(), TreeUnit::Parts{config_, tree_, router, name},
                                         channels, numbers_);
  ports_[router] = port.get();
  return port;
}

void TreeUnits::drop_channels() {
  of_links_.clear();
  of_nodes_.clear();
}

template <class Visit>
void TreeUnits::visit_units(const Visit& visit) const {
  for (RouterId router = 0; router < ports_.size(); ++router)
    if (ports_[router] != nullptr) visit(router, ports_[router]->unit());
}

TreeCounters TreeUnits::counters() const {
  TreeCounters sum;
  visit_units([&sum](RouterId, const TreeUnit& unit) { sum += unit.counters(); });
  return sum;
}

std::uint64_t TreeUnits::flits_held() const {
  std::uint64_t flits = 0;
  visit_units([&flits](RouterId, const TreeUnit& unit) { flits += unit.flits_held(); });
  for (const Pair& one : of_nodes_)
    if (one.out != nullptr) flits += one.out->flying_flits() + one.in->flying_flits();
  return flits;
}

std::string TreeUnits::held_report(unsigned limit) const {
  std::string text;
  unsigned lines = 0;
  visit_units([&](RouterId router, const TreeUnit& unit) {
    if ((unit.packets_held() == 0 && unit.barriers_open() == 0) || lines++ >= limit) return;
    text += "\n the unit of router " + std::to_string(router) + " holds " +
            std::to_string(unit.packets_held()) + " packets, and waits for others in " +
            std::to_string(unit.barriers_open()) + " synchronizations";
  });
  return text;
}

}  // namespace tsuji::machines
