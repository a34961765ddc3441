// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::graph {

struct MultistageConfig {
  unsigned nodes = 64;            ///< 2..1024
  unsigned radix = 4;             ///< ports of a switch, 2..16
  unsigned stages = 0;            ///< 0: as many as whole boards have; otherwise at least the routing stages
  unsigned stages_per_board = 2;  ///< Kanoh 2000, section 3: two stages of switches
  NodeId first_node = 0;          ///< of this network, whose nodes are numbered from here on
  /// A line leads to a gateway, behind which all other nodes lie (rooms/graph.md, Groups).
  bool gateway = false;
  /// The largest network of so many routing stages has so many nodes.
  unsigned most_nodes(unsigned routing_stages) const;
  /// ConfigError, with keys of `section`.
  void validate(const std::string& section = "network") const;
};

/// The wiring of a multistage network of radix x radix switches: a butterfly of n = ceil(log_radix nodes)
/// routing stages, most significant destination digit first, behind redundant stages that connect input i to
/// output i (rooms/graph.md, Where the paper is silent, 1). Lines 0 .. lines-1 run through all stages: line L
/// enters stage 0 from node L, and leaves the last stage towards node L (of a group: the group's node L).
/// Every source-destination pair has exactly one path.
class Multistage {
 public:
  struct Place {
    unsigned switch_index;
    unsigned port;
  };

  explicit Multistage(const MultistageConfig& config);

  unsigned nodes() const { return nodes_; }
  NodeId first_node() const { return first_node_; }
  bool has_gateway() const { return gateway_; }
  /// A node or the gateway is at this line's ends.
  bool has_end(unsigned line) const { return line < nodes_ || (gateway_ && line == gateway_line()); }
  /// The gateway's line: the first of the last output of the first routing stage, behind which no node lies.
  unsigned gateway_line() const { return lines_ / radix_ * (radix_ - 1); }
  unsigned radix() const { return radix_; }
  unsigned stages() const { return stages_; }
  unsigned lines() const { return lines_; }
  unsigned switches_per_stage() const { return lines_ / radix_; }

  /// Which port of which switch of `stage` line `line` runs through; inputs and outputs alike.
  Place place(unsigned stage, unsigned line) const;
  unsigned line(unsigned stage, Place place) const;
  /// The output port that a packet to `destination` takes at `stage` when it came in on `port`.
  unsigned output(unsigned stage, unsigned port, NodeId destination) const;
  /// The lines of nodes that output line `line` of `stage` leads to: [first, last), cut at nodes().
  void reached(unsigned stage, unsigned line, NodeId& first, NodeId& last) const;
  /// Whether a packet from line `source` may come in on line `line` of `stage`.
  bool carries(unsigned stage, unsigned line, unsigned source) const;
  /// Whether output line `line` of `stage` leads to the gateway.
  bool reaches_gateway(unsigned stage, unsigned line) const;
  bool redundant(unsigned stage) const { return stage < stages_ - digits_; }

 private:
  unsigned weight(unsigned stage) const { return power_[digits_ - 1 - (stage - (stages_ - digits_))]; }

  unsigned nodes_, radix_, digits_, stages_, lines_;
  NodeId first_node_;
  bool gateway_;
  std::vector<unsigned> power_;  ///< radix^0 .. radix^digits
};

/// The network as one switch needs it to rewrite port bits and to join synchronizations;
/// numbers, so that a test can write them by hand. A packet's port bits at a switch name the FIFOs, one an
/// output, that it enters.
class SwitchRoute {
 public:
  SwitchRoute(const Multistage& network, unsigned stage, unsigned switch_index);

  /// The port bits for the receiver at the far end of output `output`: the FIFOs of the next switch, or 1 for
  /// a node.
  std::uint32_t next_ports(unsigned output, const Packet& packet) const {
    const Output& next = outputs_[output];
    switch (next.kind) {
      case NextKind::node:
        return 1;
      case NextKind::straight:
        return std::uint32_t{1} << next.straight_port;
      case NextKind::routing:
        break;
    }
    switch (packet.kind) {
      case PacketKind::single_cast:
        return std::uint32_t{1} << (area_.line(packet.destination.node()) / next.weight % radix_);
      case PacketKind::multicast:
        return map_ports(area_, next, packet.group, packet.map);
      case PacketKind::synchronization:
        return synchronization_port(area_, next, packet.map, packet.source.is_router());
    }
    return 0;
  }

  /// The inputs that a synchronization of `members` (systems of at most 64 nodes) waits for here, and the
  /// outputs that it leaves by: those on the path of any two members.
  std::uint32_t expected_inputs(std::uint64_t members) const { return overlap(sources_, members); }
  std::uint32_t served_outputs(std::uint64_t members) const { return overlap(destinations_, members); }
  /// The same of a packet; if it has members beyond the gateway, of its half of the synchronization
  /// (rooms/graph.md, Groups): from the members here to the gateway, or from the gateway, a router's, to
  /// them.
  std::uint32_t expected_inputs(const Packet& packet) const {
    return area_.leaves(0, packet.map) && packet.source.is_router() ? gateway_inputs_
                                                                    : expected_inputs(packet.map);
  }
  std::uint32_t served_outputs(const Packet& packet) const {
    return area_.leaves(0, packet.map) && packet.source.is_router() == redundant_
               ? gateway_outputs_
               : served_outputs(packet.map);
  }

 private:
  friend class FirstRoute;
  enum class NextKind : std::uint8_t { node, straight, routing };
  struct Output {
    NextKind kind = NextKind::node;
    unsigned straight_port = 0;
    unsigned weight = 1;
    std::uint32_t gateway_port = 0;   ///< a bit for the next switch's output to the gateway; 0: none
    std::vector<NodeId> first, last;  ///< nodes behind each output of the next switch
  };
  /// The nodes of a network with a gateway; all others lie behind it.
  struct Area {
    NodeId first = 0, nodes = ~NodeId{0};
    unsigned gateway_line = 0;
    explicit Area(const Multistage& network);
    unsigned line(NodeId node) const { return node - first < nodes ? node - first : gateway_line; }
    /// A node of the map, of this node group, lies beyond the gateway.
    bool leaves(std::uint32_t group, std::uint64_t map) const;
  };

  static Output look_ahead(const Multistage& network, unsigned next_stage, unsigned line);
  static std::uint32_t map_ports(const Area& area, const Output& next, std::uint32_t group,
                                 std::uint64_t map) {
    const std::uint32_t ports = node_ports(next, group, map);
    return next.gateway_port != 0 && area.leaves(group, map) ? ports | next.gateway_port : ports;
  }
  /// It enters one FIFO, that of the lowest needed output (rooms/graph.md, Where the paper is silent, 3).
  static std::uint32_t synchronization_port(const Area& area, const Output& next, std::uint64_t map,
                                            bool from_gateway) {
    if (!from_gateway && area.leaves(0, map)) return next.gateway_port;
    const std::uint32_t ports = node_ports(next, 0, map);
    return ports & (~ports + 1);
  }
  static std::uint32_t node_ports(const Output& next, std::uint32_t group, std::uint64_t map);
  static std::uint32_t overlap(const std::vector<std::uint64_t>& sets, std::uint64_t members);

  unsigned radix_;
  Area area_;
  bool redundant_ = false;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> sources_;       ///< per input: the nodes 0..63 whose packets may come in there
  std::vector<std::uint64_t> destinations_;  ///< per output
  std::uint32_t gateway_inputs_ = 0, gateway_outputs_ = 0;
};

/// The network as one node, or the gateway, needs it: the port bits that its network interface sets for the
/// first switch.
class FirstRoute {
 public:
  FirstRoute(const Multistage& network, unsigned line);
  std::uint32_t next_ports(const Packet& packet) const;
  std::uint32_t single_cast(NodeId destination) const;
  /// 0 if the map is empty or names no node of this network.
  std::uint32_t multicast(std::uint32_t group, std::uint64_t map) const;
  std::uint32_t synchronization(std::uint64_t map) const { return synchronization(map, false); }

 private:
  std::uint32_t synchronization(std::uint64_t map, bool from_gateway) const;

  unsigned radix_;
  SwitchRoute::Area area_;
  SwitchRoute::Output next_;
};

}  // namespace tsuji::graph
