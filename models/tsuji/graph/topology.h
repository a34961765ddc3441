// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::graph {

using RouterId = std::uint32_t;
inline constexpr std::uint32_t none = ~std::uint32_t{0};

struct PortRef {
  RouterId router = none;
  std::uint32_t port = none;
  bool operator==(const PortRef& other) const { return router == other.router && port == other.port; }
};

/// A link between two router ports. It carries flits from a to b and, unless it is one-way, from b to a.
struct RouterLink {
  PortRef a, b;
  Cycle latency_cycles = 1;  ///< >= 1
  bool one_way = false;
};

/// Where a node is attached: it injects into one port and ejects from one, the same in two-way networks.
struct NodePorts {
  PortRef inject, eject;
  Cycle latency_cycles = 0;  ///< of its wires, both ways; 0: as all nodes'
  Cycle latency_or(Cycle of_all) const { return latency_cycles == 0 ? of_all : latency_cycles; }
};

/// The facts that only one kind of topology has (CubeShape, FatTreeShape): a copyable struct of the file that
/// makes it. Empty for a graph of which nothing but its links is known.
using Shape = std::any;

/// How the ports of a router lie to each other, in topologies that have directions. A function that is empty
/// has no answer on any router.
struct Directions {
  /// The output port that lies opposite an input port, or `none`.
  std::function<std::uint32_t(RouterId router, unsigned port)> opposite;
  /// Whether a port leads up, towards the root; there are levels where it is not empty.
  std::function<bool(RouterId router, unsigned port)> leads_up;
};

/// Routers, links and nodes as data; no configuration, no time. Ports of a router are numbered from 0
/// without holes that the builder does not name; a port that leads nowhere (mesh border) is allowed.
class Topology {
 public:
  /// The far end of a router's port.
  struct Far {
    enum class Kind : std::uint8_t { nothing, router, node } kind = Kind::nothing;
    PortRef at;                 ///< of a router
    NodeId node = none;         ///< of a node
    std::uint32_t link = none;  ///< index into links()
    bool sends = false;         ///< the port has an output channel
    bool receives = false;      ///< the port has an input channel
  };

  /// Throws ConfigError where two links share a port, a port does not exist, or a node is not attached.
  Topology(std::string name, const std::vector<unsigned>& ports_of_router, std::vector<RouterLink> links,
           std::vector<NodePorts> nodes, Shape shape, std::vector<std::vector<unsigned>> coordinates = {});

  const std::string& name() const { return name_; }
  unsigned routers() const { return static_cast<unsigned>(first_port_.size() - 1); }
  unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  unsigned ports(RouterId router) const { return first_port_[router + 1] - first_port_[router]; }
  const Far& far(RouterId router, unsigned port) const { return far_[first_port_[router] + port]; }
  const std::vector<RouterLink>& links() const { return links_; }
  const NodePorts& node(NodeId node) const { return nodes_[node]; }
  /// The shape if it is of this kind, else null.
  template <class S>
  const S* shape_as() const {
    return std::any_cast<S>(&shape_);
  }
  const Directions& directions() const { return directions_; }
  void set_directions(Directions directions) { directions_ = std::move(directions); }
  /// Position of a router in its topology's own axes; empty where there are none.
  const std::vector<unsigned>& coordinates(RouterId router) const { return coordinates_[router]; }

 private:
  Far& free_port(PortRef at);
  void attach_links();
  void attach_nodes();

  std::string name_;
  std::vector<std::uint32_t> first_port_;  ///< routers + 1
  std::vector<Far> far_;
  std::vector<RouterLink> links_;
  std::vector<NodePorts> nodes_;
  Shape shape_;
  Directions directions_;
  std::vector<std::vector<unsigned>> coordinates_;
};

}  // namespace tsuji::graph
