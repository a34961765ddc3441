// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/topology.h"

#include <algorithm>
#include <limits>

#include "tsuji/core/error.h"

namespace tsuji::graph {
namespace {

std::string port_name(PortRef at) {
  return "router " + std::to_string(at.router) + " port " + std::to_string(at.port);
}

[[noreturn]] void refuse(const std::string& value, const std::string& problem, const std::string& accepted) {
  throw ConfigError("topology.kind", value, problem, accepted);
}

}  // namespace

std::vector<std::string> numbered_classes(const std::string& name, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(name + std::to_string(i));
  return names;
}

Topology::Topology(std::string name, const std::vector<unsigned>& ports_of_router,
                   const std::vector<RouterLink>& links, std::vector<NodePorts> nodes, Shape shape,
                   const std::vector<std::vector<unsigned>>& coordinates)
    : name_(std::move(name)),
      links_(links.begin(), links.end()),
      nodes_(std::move(nodes)),
      shape_(std::move(shape)) {
  const std::size_t routers = ports_of_router.size();
  if (routers == 0) refuse("0", "a network without routers", "1 router or more");
  if (nodes_.empty()) refuse("0", "a network without nodes", "1 node or more");
  if (!coordinates.empty() && coordinates.size() != routers)
    refuse(std::to_string(coordinates.size()), "coordinates of another number of routers",
           std::to_string(routers) + ", or none");
  set_coordinates(coordinates);
  nodes_.shrink_to_fit();
  first_port_.reserve(routers + 1);
  first_port_.push_back(0);
  for (const unsigned ports : ports_of_router) {
    if (ports > most_ports)
      refuse(std::to_string(ports), "too many ports", "at most " + std::to_string(most_ports));
    first_port_.push_back(first_port_.back() + ports);
  }
  far_.resize(first_port_.back());
  attach_links(links);
  attach_nodes();
}

Topology::PackedLink::PackedLink(const RouterLink& link)
    : router(link.a.router),
      port(link.a.port & most_ports),
      of_class(link.link_class),
      one_way(link.one_way ? 1 : 0),
      own_latency(link.own_latency ? 1 : 0) {
  set_latency(link.latency_cycles);
}

void Topology::PackedLink::set_latency(Cycle cycles) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  if (cycles == 0) refuse("0", "a link that takes no time", "1 cycle or more");
  if (cycles > most)
    refuse(std::to_string(cycles), "a link that takes too long",
           "at most " + std::to_string(most) + " cycles");
  latency_cycles = static_cast<std::uint32_t>(cycles);
}

void Topology::set_coordinates(const std::vector<std::vector<unsigned>>& coordinates) {
  if (coordinates.empty()) return;
  std::size_t all = 0;
  for (const std::vector<unsigned>& one : coordinates) all += one.size();
  coordinates_.reserve(all);
  first_coordinate_.reserve(coordinates.size() + 1);
  for (const std::vector<unsigned>& one : coordinates) {
    first_coordinate_.push_back(static_cast<std::uint32_t>(coordinates_.size()));
    coordinates_.insert(coordinates_.end(), one.begin(), one.end());
  }
  first_coordinate_.push_back(static_cast<std::uint32_t>(coordinates_.size()));
}

Topology::PackedFar& Topology::free_port(PortRef at) {
  if (at.router >= routers() || at.port >= ports(at.router))
    refuse(port_name(at), "no such port", "a port that its router has");
  return far_[first_port_[at.router] + at.port];
}

void Topology::attach_links(const std::vector<RouterLink>& links) {
  for (std::uint32_t index = 0; index < links.size(); ++index) {
    const RouterLink& link = links[index];
    for (const bool forward : {true, false}) {
      const PortRef here = forward ? link.a : link.b;
      PackedFar& far = free_port(here);
      if (far.far().kind != Far::Kind::nothing)
        refuse(port_name(here), "two links share a port", "one link for each port");
      const PortRef there = forward ? link.b : link.a;
      far.set(Far::Kind::router, there.router);
      far.port = there.port & most_ports;
      far.link = index;
      far.sends = forward || !link.one_way;
      far.receives = !forward || !link.one_way;
    }
  }
}

void Topology::attach_nodes() {
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    const NodePorts& ports = nodes_[node];
    for (const bool inject : {true, false}) {
      const PortRef at = inject ? ports.inject : ports.eject;
      if (at.router == none)
        refuse("node " + std::to_string(node), inject ? "has no injection port" : "has no ejection port",
               "a router's port for every node");
      PackedFar& far = free_port(at);
      const Far::Kind kind = far.far().kind;
      const bool own = kind == Far::Kind::node && far.number == node && !inject;
      if (kind != Far::Kind::nothing && !own)
        refuse(port_name(at), "node " + std::to_string(node) + " is at a port that is used already",
               "a separate port for every node");
      far.set(Far::Kind::node, node);
      if (inject) far.receives = true;
      if (!inject) far.sends = true;
    }
  }
}

void Topology::set_link_classes(const std::vector<std::string>& names,
                                const std::function<unsigned(const RouterLink& link)>& class_of) {
  link_classes_.clear();
  for (const std::string& name : names) link_classes_.push_back({name});
  for (std::uint32_t index = 0; index < links_.size(); ++index) {
    const unsigned number = class_of(link(index));
    if (number >= names.size()) throw ModelError(name_, "a link of class " + std::to_string(number));
    links_[index].of_class = static_cast<std::uint8_t>(number);
  }
}

void Topology::keep_latencies(const std::string& link_class) {
  for (PackedLink& link : links_)
    if (link_classes_[link.of_class].name == link_class) link.own_latency = 1;
}

/// Returns false if no link takes the latency.
bool Topology::set_latencies(std::size_t link_class, Cycle latency_cycles) {
  bool taken = false;
  for (PackedLink& link : links_) {
    if (link.of_class != link_class || link.own_latency != 0) continue;
    link.set_latency(latency_cycles);
    taken = true;
  }
  return taken;
}

bool Topology::set_node_latencies(Cycle latency_cycles) {
  bool taken = false;
  for (NodePorts& ports : nodes_) {
    if (ports.latency_cycles != 0) continue;
    ports.latency_cycles = latency_cycles;
    taken = true;
  }
  return taken;
}

std::string Topology::class_names() const {
  std::string names;
  for (const LinkClass& one : link_classes_) names += one.name + ", ";
  return names + node_class_.name;
}

void Topology::set_class_values(const LinkClass& values) {
  const bool of_nodes = values.name == node_class_.name;
  const auto found = std::find_if(link_classes_.begin(), link_classes_.end(),
                                  [&](const LinkClass& one) { return one.name == values.name; });
  if (!of_nodes && found == link_classes_.end())
    throw ConfigError("link.classes", values.name, name_ + " has no links of this class",
                      "its classes: " + class_names());
  if (values.latency_cycles != 0) {
    const bool taken = of_nodes ? set_node_latencies(values.latency_cycles)
                                : set_latencies(static_cast<std::size_t>(found - link_classes_.begin()),
                                                values.latency_cycles);
    if (!taken)
      throw ConfigError("link.classes", values.name + " latency " + std::to_string(values.latency_cycles),
                        "each link of the class has a separate latency",
                        "no latency of this class, or no latency in the keys or the file of the topology");
  }
  (of_nodes ? node_class_ : *found) = values;
}

bool Topology::is_equally_wide() const {
  return node_class_.flit_cycles == 0 &&
         std::all_of(link_classes_.begin(), link_classes_.end(),
                     [](const LinkClass& one) { return one.flit_cycles == 0; });
}

bool Topology::carries_flit_a_cycle(Cycle flit_cycles) const {
  const auto carries = [&](const LinkClass& one) { return one.flit_cycles_or(flit_cycles) == 1; };
  return carries(node_class_) && std::all_of(link_classes_.begin(), link_classes_.end(), carries);
}

}  // namespace tsuji::graph
