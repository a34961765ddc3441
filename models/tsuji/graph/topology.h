// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <any>
#include <cstdint>
#include <functional>
#include <iterator>
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

/// Place of a router on the axes of its topology; empty without axes. A view: the topology outlives it.
class Coordinates {
 public:
  Coordinates() = default;                                                               ///< No axes.
  Coordinates(const unsigned* begin, const unsigned* end) : begin_(begin), end_(end) {}  ///< View.
  /// View of numbers that outlive it.
  Coordinates(const std::vector<unsigned>& all) : Coordinates(all.data(), all.data() + all.size()) {}
  const unsigned* begin() const { return begin_; }                              ///< Place on the first axis.
  const unsigned* end() const { return end_; }                                  ///< End of the places.
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }  ///< Number of axes.
  bool empty() const { return begin_ == end_; }                                 ///< True without axes.
  /// Place on an axis.
  unsigned operator[](std::size_t axis) const { return begin_[axis]; }
  /// True for the same place on the same number of axes.
  bool operator==(const Coordinates& other) const {
    return std::equal(begin_, end_, other.begin_, other.end_);
  }
  bool operator!=(const Coordinates& other) const { return !(*this == other); }  ///< True if not ==.
  /// Order by the first axis that differs.
  bool operator<(const Coordinates& other) const {
    return std::lexicographical_compare(begin_, end_, other.begin_, other.end_);
  }

 private:
  const unsigned *begin_ = nullptr, *end_ = nullptr;
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

  /// Links by index, as values.
  class Links {
   public:
    /// Iterator over links.
    class Iterator {
     public:
      using iterator_category = std::input_iterator_tag;  ///< Each link is made when it is read.
      using value_type = RouterLink;                      ///< A link.
      using difference_type = std::ptrdiff_t;             ///< Of two indices.
      using pointer = const RouterLink*;                  ///< Not used.
      using reference = RouterLink;                       ///< A value.
      /// Iterator at the link of this index.
      Iterator(const Topology& topology, std::uint32_t index) : topology_(&topology), index_(index) {}
      RouterLink operator*() const { return topology_->link(index_); }  ///< The link.
      Iterator& operator++() {
        ++index_;
        return *this;
      }  ///< Goes to the next link.
      bool operator==(const Iterator& other) const { return index_ == other.index_; }  ///< Same link.
      bool operator!=(const Iterator& other) const { return index_ != other.index_; }  ///< Another.

     private:
      const Topology* topology_;
      std::uint32_t index_;
    };

    /// Links of a topology that outlives the view.
    explicit Links(const Topology& topology) : topology_(&topology) {}
    std::size_t size() const { return topology_->links_.size(); }  ///< Number of links.
    bool empty() const { return size() == 0; }                     ///< True without links.
    RouterLink operator[](std::size_t index) const {
      return topology_->link(static_cast<std::uint32_t>(index));
    }                                                   ///< Link of this index.
    Iterator begin() const { return {*topology_, 0}; }  ///< The first link.
    Iterator end() const { return {*topology_, static_cast<std::uint32_t>(size())}; }  ///< The end.

   private:
    const Topology* topology_;
  };

  /// ConfigError if two links share a port, a port does not exist, or a node is not attached.
  Topology(std::string name, const std::vector<unsigned>& ports_of_router,
           const std::vector<RouterLink>& links, std::vector<NodePorts> nodes, Shape shape,
           const std::vector<std::vector<unsigned>>& coordinates = {});

  /// Name for reports, for example "torus 8x8".
  const std::string& name() const { return name_; }
  /// Number of routers.
  unsigned routers() const { return static_cast<unsigned>(first_port_.size() - 1); }
  /// Number of nodes.
  unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  /// Number of ports of a router, with unconnected ones.
  unsigned ports(RouterId router) const { return first_port_[router + 1] - first_port_[router]; }
  /// Number of a port in the topology: ports of routers in order. {routers(), 0}: the number of ports.
  std::size_t port_index(PortRef port) const { return first_port_[port.router] + std::size_t{port.port}; }
  /// Other end of a port.
  Far far(RouterId router, unsigned port) const { return far_[first_port_[router] + port].far(); }
  /// Links by index.
  Links links() const { return Links(*this); }
  /// Link of this index.
  RouterLink link(std::uint32_t index) const;
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
  const LinkClass& link_class(std::uint32_t link) const { return link_classes_[links_[link].of_class]; }
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
  Coordinates coordinates(RouterId router) const {
    if (first_coordinate_.empty()) return {};
    return {coordinates_.data() + first_coordinate_[router],
            coordinates_.data() + first_coordinate_[router + 1]};
  }

 private:
  static constexpr unsigned port_bits = 22;
  static constexpr std::uint32_t most_ports = (std::uint32_t{1} << port_bits) - 1;  ///< of a router
  /// Far in 12 bytes: every rank of a run has those of all ports.
  struct PackedFar {
    std::uint32_t number = none;  ///< router or node at the other end
    std::uint32_t link = none;
    std::uint32_t port : port_bits, kind : 2, sends : 1, receives : 1;
    PackedFar() : port(most_ports), kind(0), sends(0), receives(0) {}
    void set(Far::Kind of, std::uint32_t there) {
      kind = static_cast<std::uint32_t>(of) & 3;
      number = there;
    }
    Far far() const {
      Far far;
      far.kind = static_cast<Far::Kind>(kind);
      if (far.kind == Far::Kind::router) far.at = {number, port};
      if (far.kind == Far::Kind::node) far.node = number;
      far.link = link;
      far.sends = sends != 0;
      far.receives = receives != 0;
      return far;
    }
  };

  /// RouterLink in 12 bytes; end b is the far end of a.
  struct PackedLink {
    explicit PackedLink(const RouterLink& link);
    void set_latency(Cycle cycles);
    std::uint32_t router;  ///< of end a
    std::uint32_t latency_cycles = 1;
    std::uint32_t port : port_bits, of_class : 8, one_way : 1, own_latency : 1;
  };

  PackedFar& free_port(PortRef at);
  void set_coordinates(const std::vector<std::vector<unsigned>>& coordinates);
  void attach_links(const std::vector<RouterLink>& links);
  void attach_nodes();
  bool set_latencies(std::size_t link_class, Cycle latency_cycles);
  bool set_node_latencies(Cycle latency_cycles);
  std::string class_names() const;

  std::string name_;
  std::vector<std::uint32_t> first_port_;  ///< [router], with one more element: index of its port 0
  std::vector<PackedFar> far_;
  std::vector<PackedLink> links_;
  std::vector<NodePorts> nodes_;
  Shape shape_;
  std::vector<LinkClass> link_classes_{LinkClass{"link"}};
  LinkClass node_class_{"node"};
  Directions directions_;
  std::vector<unsigned> coordinates_;            ///< of all routers, one after the other
  std::vector<std::uint32_t> first_coordinate_;  ///< [router], with one more element; empty: no axes
};

inline RouterLink Topology::link(std::uint32_t index) const {
  const PackedLink& packed = links_[index];
  RouterLink link;
  link.a = {packed.router, packed.port};
  link.b = far(link.a.router, link.a.port).at;
  link.latency_cycles = packed.latency_cycles;
  link.one_way = packed.one_way != 0;
  link.own_latency = packed.own_latency != 0;
  link.link_class = static_cast<std::uint8_t>(packed.of_class);
  return link;
}

}  // namespace tsuji::graph
