// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::graph {

/// Number of a router, from 0.
using RouterId = std::uint32_t;
inline constexpr std::uint32_t none = ~std::uint32_t{0};  ///< No router, port, node or link.

/// Port of a router.
struct PortRef {
  RouterId router = none;     ///< Router; `none`: no port.
  std::uint32_t port = none;  ///< Port number at the router.
  /// True for one and the same port.
  bool operator==(const PortRef& other) const { return router == other.router && port == other.port; }
};

/// Link between two router ports. It carries flits from a to b and, unless it is one-way, from b to a.
struct RouterLink {
  PortRef a,                    ///< Port at one end.
      b;                        ///< Port at the other end.
  Cycle latency_cycles = 1;     ///< latency of the link in each direction, >= 1
  bool one_way = false;         ///< The link carries flits from a to b only.
  bool own_latency = false;     ///< The latency is this link's own: its class does not replace it.
  std::uint8_t link_class = 0;  ///< index into Topology::link_classes()
};

/// Links with equal latency, width and length, for example the global links of a dragonfly.
struct LinkClass {
  std::string name;          ///< Name for configurations, for example "global".
  Cycle latency_cycles = 0;  ///< latency in each direction; 0: the network's common latency
  Cycle flit_cycles = 0;     ///< cycles that a flit occupies a link; 0: the network's common number
  std::optional<double> length_mm = {};  ///< length of the wires; empty: by the routers' coordinates
  /// Cycles that a flit occupies a link of the class; `of_all` if the class sets none.
  Cycle flit_cycles_or(Cycle of_all) const { return flit_cycles == 0 ? of_all : flit_cycles; }
};

/// Names of `count` classes: "dimension0", "dimension1", ...
std::vector<std::string> numbered_classes(const std::string& name, std::size_t count);

/// Attachment of a node: it injects into one port and ejects from one, which is the same port in two-way
/// networks.
struct NodePorts {
  PortRef inject,  ///< Port that receives from the node.
      eject;       ///< Port that sends to the node.
  Cycle latency_cycles =
      0;  ///< latency of the node's links in both directions; 0: the network's common latency
  /// Latency of the node's links in cycles; `of_all` if the topology sets none.
  Cycle latency_or(Cycle of_all) const { return latency_cycles == 0 ? of_all : latency_cycles; }
};

/// Facts that only one kind of topology has (CubeShape, FatTreeShape): a copyable struct, declared where the
/// kind is made. Empty for a graph of which only the links are known.
using Shape = std::any;

/// Geometric relations between the ports of a router, for topologies with directions. An empty function gives
/// no answer for any router.
struct Directions {
  /// Output port opposite to an input port, or `none`.
  std::function<std::uint32_t(RouterId router, unsigned port)> opposite;
  /// Returns true if a port goes up, towards the root. Empty: the topology has no levels.
  std::function<bool(RouterId router, unsigned port)> leads_up;
};

/// Routers, links and nodes as data, without configuration and time. Ports of a router are numbered from 0;
/// ports without a link (mesh border) are allowed.
class Topology {
 public:
  /// Other end of a router's port.
  struct Far {
    /// Thing at the other end: nothing, a router or a node.
    enum class Kind : std::uint8_t { nothing, router, node } kind = Kind::nothing;  ///< Kind of this end.
    PortRef at;                 ///< port at the other end, if that is a router
    NodeId node = none;         ///< node at the other end, if that is a node
    std::uint32_t link = none;  ///< index into links()
    bool sends = false;         ///< the port has an output channel
    bool receives = false;      ///< the port has an input channel
  };

  /// ConfigError if two links share a port, a port does not exist, or a node is not attached.
  Topology(std::string name, const std::vector<unsigned>& ports_of_router, std::vector<RouterLink> links,
           std::vector<NodePorts> nodes, Shape shape, std::vector<std::vector<unsigned>> coordinates = {});

  /// Name for reports, for example "torus 8x8".
  const std::string& name() const { return name_; }
  /// Number of routers.
  unsigned routers() const { return static_cast<unsigned>(first_port_.size() - 1); }
  /// Number of nodes.
  unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  /// Number of ports of a router, with unconnected ones.
  unsigned ports(RouterId router) const { return first_port_[router + 1] - first_port_[router]; }
  /// Other end of a port.
  const Far& far(RouterId router, unsigned port) const { return far_[first_port_[router] + port]; }
  /// Links by index.
  const std::vector<RouterLink>& links() const { return links_; }
  /// Ports to which a node is attached.
  const NodePorts& node(NodeId node) const { return nodes_[node]; }
  /// Shape of the topology if it is of type S; null otherwise.
  template <class S>
  const S* shape_as() const {
    return std::any_cast<S>(&shape_);
  }
  /// Relations between ports; empty functions without directions.
  const Directions& directions() const { return directions_; }
  /// Sets the relations between ports; once, by the maker of the topology.
  void set_directions(Directions directions) { directions_ = std::move(directions); }
  /// Classes of the links between routers; one, named "link", unless the maker names others.
  const std::vector<LinkClass>& link_classes() const { return link_classes_; }
  /// Class of a link between routers.
  const LinkClass& link_class(std::uint32_t link) const { return link_classes_[links_[link].link_class]; }
  /// Class of the links of nodes, named "node".
  const LinkClass& node_class() const { return node_class_; }
  /// Names the classes of the links, and gives each link the number of its class; once, by the maker of the
  /// topology.
  void set_link_classes(const std::vector<std::string>& names,
                        const std::function<unsigned(const RouterLink& link)>& class_of);
  /// Declares the latencies of a class's links as their own. Called by a maker that sets them from its keys.
  void keep_latencies(const std::string& link_class);
  /// Sets the values of the class that has the name `values.name`. The latency holds for links and nodes that
  /// have none of their own. ConfigError (link.classes) for a class that the topology lacks, and for a
  /// latency that no link takes.
  void set_class_values(const LinkClass& values);
  /// True if no class sets the cycles of a flit, so that all links take the network's common number.
  bool is_equally_wide() const;
  /// True if each link, also of nodes, carries a flit in each cycle where the network's common number is
  /// `flit_cycles`.
  bool carries_flit_a_cycle(Cycle flit_cycles) const;
  /// Coordinates of a router on the topology's axes; empty without axes.
  const std::vector<unsigned>& coordinates(RouterId router) const { return coordinates_[router]; }

 private:
  Far& free_port(PortRef at);
  void attach_links();
  void attach_nodes();
  bool set_latencies(std::size_t link_class, Cycle latency_cycles);
  bool set_node_latencies(Cycle latency_cycles);
  std::string class_names() const;

  std::string name_;
  std::vector<std::uint32_t> first_port_;  ///< [router], with one more element: index of its port 0
  std::vector<Far> far_;
  std::vector<RouterLink> links_;
  std::vector<NodePorts> nodes_;
  Shape shape_;
  std::vector<LinkClass> link_classes_{LinkClass{"link"}};
  LinkClass node_class_{"node"};
  Directions directions_;
  std::vector<std::vector<unsigned>> coordinates_;
};

}  // namespace tsuji::graph
