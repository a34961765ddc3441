// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_units.h"

#include "tsuji/core/error.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/network/network_supervisor.h"

namespace tsuji::machines {

using graph::RouterId;

namespace {

constexpr Cycle channel_cycles = 1;  // between a node's bridge and the unit

}  // namespace

TreeUnits::TreeUnits(const Parts& parts)
    : config_(parts.config),
      topology_(parts.topology),
      changes_(parts.changes),
      tree_(parts.topology, parts.faults, parts.config.root),
      channel_(parts.of_nodes, tree_, parts.topology, parts.vc),
      of_links_(parts.topology.links().size()),
      of_nodes_(parts.topology.nodes()),
      ports_(parts.topology.routers()) {
  if (!tree_.circle().empty())
    throw ModelError("tree of units", "its FIFOs may wait for each other in a cycle (deadlock)");
  refuse_large_routers();
  make_channels();
}

/// Any of its links may be in a tree.
void TreeUnits::refuse_large_routers() const {
  if (!changes_) return;
  for (RouterId router = 0; router < tree_.routers(); ++router) {
    const std::size_t branches = all_channels(router).size();
    if (branches <= NodeTree::most_branches) continue;
    throw ConfigError("topology.kind", topology_.name(),
                      "router " + std::to_string(router) + " has " + std::to_string(branches) +
                          " links and nodes, which may all be in a tree that changes",
                      "at most " + std::to_string(NodeTree::most_branches));
  }
}

TreeUnits::Pair TreeUnits::make_pair(const std::string& out, const std::string& in, Cycle cycles) {
  return {std::make_unique<PacketLink>(out.c_str(), cycles, RoomSignal::credits),
          std::make_unique<PacketLink>(in.c_str(), cycles, RoomSignal::credits)};
}

/// Its channels have the number of the link where there may be several between two routers.
void TreeUnits::make_link(std::uint32_t link) {
  const graph::RouterLink& ends = topology_.links()[link];
  const std::string a = std::to_string(ends.a.router), b = std::to_string(ends.b.router);
  const std::string number = changes_ ? "_" + std::to_string(link) : "";
  of_links_[link] =
      make_pair("tree_" + a + "_to_" + b + number, "tree_" + b + "_to_" + a + number, ends.latency_cycles);
}

void TreeUnits::make_channels() {
  for (RouterId router = 0; router < tree_.routers(); ++router) {
    if (!has_unit(router)) continue;
    for (const NodeTree::TreeLink& one : tree_.links(router))
      if (one.at_a && !changes_) make_link(one.link);
    for (const NodeId node : tree_.nodes(router)) {
      const std::string name = "node" + std::to_string(node);
      of_nodes_[node] = make_pair(name + "_to_unit", name + "_from_unit", channel_cycles);
    }
  }
  for (std::uint32_t link = 0; link < of_links_.size() && changes_; ++link) make_link(link);
}

TreePort::Channels TreeUnits::channels_at(std::uint32_t link, bool at_a) const {
  const Pair& own = of_links_[link];
  return {(at_a ? own.out : own.in).get(), (at_a ? own.in : own.out).get()};
}

std::vector<TreePort::Channels> TreeUnits::channels_of_tree(RouterId router) const {
  std::vector<TreePort::Channels> channels;
  for (const NodeTree::TreeLink& one : tree_.links(router))
    channels.push_back(channels_at(one.link, one.at_a));
  for (const NodeId node : tree_.nodes(router))
    channels.push_back({of_nodes_[node].in.get(), of_nodes_[node].out.get()});
  return channels;
}

std::vector<TreePort::Channels> TreeUnits::all_channels(RouterId router) const {
  if (!changes_) return channels_of_tree(router);
  std::vector<TreePort::Channels> channels;
  for (std::uint32_t port = 0; port < topology_.ports(router); ++port) {
    const graph::Topology::Far& far = topology_.far(router, port);
    if (far.kind != graph::Topology::Far::Kind::router) continue;
    channels.push_back(channels_at(far.link, topology_.links()[far.link].a == graph::PortRef{router, port}));
  }
  for (const NodeId node : tree_.nodes(router))
    channels.push_back({of_nodes_[node].in.get(), of_nodes_[node].out.get()});
  return channels;
}

std::unique_ptr<traffic::EmissionSource> TreeUnits::make_port(RouterId router) {
  if (!has_unit(router)) return nullptr;
  const std::string name = "unit" + std::to_string(router);
  const unsigned sources = changes_ ? topology_.nodes() : 0;
  auto port = std::make_unique<TreePort>(name.c_str(), TreeUnit::Parts{config_, tree_, router, name, sources},
                                         channels_of_tree(router), all_channels(router), numbers_);
  ports_[router] = port.get();
  return port;
}

NodeTree TreeUnits::tree_of(const graph::Topology& topology, const graph::FaultSet& faults,
                            std::optional<std::uint64_t> root) {
  if (root && !graph::LivingNetwork(topology, faults).lives(static_cast<RouterId>(*root))) root.reset();
  return {topology, faults, root};
}

/// Deaths and returns of one cycle lead to one change.
void TreeUnits::link_changed(std::uint32_t link, bool lives, Cycle now) {
  if (!lives) note_death(link);
  const Cycle at = now + 1 + config_.change_cycles;
  if (!changes_at_.empty() && changes_at_.back() == at) return;
  changes_at_.push_back(at);
  supervisor_->observe_after(changes_at_.front() - 1);
}

/// Both units know it, as their routers do.
void TreeUnits::note_death(std::uint32_t link) {
  for (const graph::PortRef& end : {topology_.links()[link].a, topology_.links()[link].b})
    for (const NodeTree::TreeLink& one : tree_.links(end.router))
      if (one.link == link) ports_[end.router]->link_died(one);
}

/// The tree is that of the links that lived when the change was begun.
void TreeUnits::between_cycles(Cycle now) {
  const Cycle begun = changes_at_.front() - config_.change_cycles;
  changes_at_.pop_front();
  if (!changes_at_.empty()) supervisor_->observe_after(changes_at_.front() - 1);
  const NodeTree next = tree_of(topology_, supervisor_->schedule().at(begun), config_.root);
  if (!next.circle().empty())
    throw ModelError("tree of units", "its FIFOs may wait for each other in a cycle (deadlock)");
  if (!next.same_as(tree_)) use(next, now + 1);
}

/// Rooms of tree links are whole in the new tree. Links of it that have died since carry nothing.
void TreeUnits::use(const NodeTree& next, Cycle now) {
  tree_ = next;
  for (const Pair& one : of_links_) {
    one.out->clear();
    one.in->clear();
  }
  for (RouterId router = 0; router < ports_.size(); ++router)
    ports_[router]->change(now, channels_of_tree(router));
  for (std::uint32_t link = 0; link < of_links_.size(); ++link)
    if (!supervisor_->living().lives(link)) note_death(link);
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

std::uint64_t TreeUnits::copies_under_way() const {
  std::uint64_t copies = 0;
  visit_units([&copies](RouterId, const TreeUnit& unit) { copies += unit.copies_to_leave(); });
  for (const Pair& one : of_nodes_)
    if (one.out != nullptr) copies += one.out->flying_packets() + one.in->flying_packets();
  return copies;
}

std::string TreeUnits::held_report(unsigned limit) const {
  std::string text;
  unsigned lines = 0;
  visit_units([&](RouterId router, const TreeUnit& unit) {
    if ((unit.packets_held() == 0 && unit.barriers_open() == 0) || lines++ >= limit) return;
    text += "\n the unit of router " + std::to_string(router) + " holds " +
            std::to_string(unit.packets_held()) + " packets, and waits for others in " +
            std::to_string(unit.barriers_open()) + " synchronizations";
    if (!tree_.contains(router)) text += "; no living link joins it to the tree";
  });
  return text;
}

}  // namespace tsuji::machines
