// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/topology.h"

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

Topology::Topology(std::string name, const std::vector<unsigned>& ports_of_router,
                   std::vector<RouterLink> links, std::vector<NodePorts> nodes, Shape shape,
                   std::vector<std::vector<unsigned>> coordinates)
    : name_(std::move(name)),
      links_(std::move(links)),
      nodes_(std::move(nodes)),
      shape_(std::move(shape)),
      coordinates_(std::move(coordinates)) {
  const std::size_t routers = ports_of_router.size();
  if (routers == 0) refuse("0", "a network without routers", "1 router or more");
  if (nodes_.empty()) refuse("0", "a network without nodes", "1 node or more");
  if (!coordinates_.empty() && coordinates_.size() != routers)
    refuse(std::to_string(coordinates_.size()), "coordinates of another number of routers",
           std::to_string(routers) + ", or none");
  coordinates_.resize(routers);
  first_port_.reserve(routers + 1);
  first_port_.push_back(0);
  for (unsigned ports : ports_of_router) first_port_.push_back(first_port_.back() + ports);
  far_.resize(first_port_.back());
  attach_links();
  attach_nodes();
}

Topology::Far& Topology::free_port(PortRef at) {
  if (at.router >= routers() || at.port >= ports(at.router))
    refuse(port_name(at), "no such port", "a port that its router has");
  return far_[first_port_[at.router] + at.port];
}

void Topology::attach_links() {
  for (std::uint32_t index = 0; index < links_.size(); ++index) {
    const RouterLink& link = links_[index];
    if (link.latency_cycles == 0) refuse("0", "a link that takes no time", "1 cycle or more");
    for (const bool forward : {true, false}) {
      const PortRef here = forward ? link.a : link.b;
      Far& far = free_port(here);
      if (far.kind != Far::Kind::nothing)
        refuse(port_name(here), "two links share a port", "one link for each port");
      far.kind = Far::Kind::router;
      far.at = forward ? link.b : link.a;
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
      Far& far = free_port(at);
      const bool own = far.kind == Far::Kind::node && far.node == node && !inject;
      if (far.kind != Far::Kind::nothing && !own)
        refuse(port_name(at), "node " + std::to_string(node) + " is at a port that is used already",
               "a separate port for every node");
      far.kind = Far::Kind::node;
      far.node = node;
      (inject ? far.receives : far.sends) = true;
    }
  }
}

}  // namespace tsuji::graph
