// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::graph {

struct MultistageConfig {
  unsigned nodes = 64;  ///< number of nodes, 2..1024
  unsigned radix = 4;   ///< ports of a switch, 2..16
  unsigned stages =
      0;  ///< number of stages; 0: the least that fills whole boards; otherwise at least the routing stages
  unsigned stages_per_board = 2;  ///< Kanoh 2000, section 3: boards of two stages
  NodeId first_node = 0;          ///< lowest node of this network
  /// One line is connected to a gateway, through which all other nodes are reached (rooms/graph.md, Groups).
  bool gateway = false;
  /// Number of nodes of the largest network with this number of routing stages.
  unsigned most_nodes(unsigned routing_stages) const;
  /// ConfigError, with keys of `section`.
  void validate(const std::string& section = "network") const;
};

/// Wiring of a multistage network of radix x radix switches: a butterfly of n = ceil(log_radix nodes) routing
/// stages, most significant destination digit first, after redundant stages that connect input i to output i
/// (rooms/graph.md, Where the paper is silent, 1). Lines 0 .. lines-1 pass all stages: line L enters stage 0
/// from node L, and leaves the last stage to node L (in a group: the group's node L). Every
/// source-destination pair has exactly one path.
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
  /// Returns true if a node or the gateway is at the ends of this line.
  bool has_end(unsigned line) const { return line < nodes_ || (gateway_ && line == gateway_line()); }
  /// The gateway's line: the first one of the last output of the first routing stage, to which no node is
  /// connected.
  unsigned gateway_line() const { return lines_ / radix_ * (radix_ - 1); }
  unsigned radix() const { return radix_; }
  unsigned stages() const { return stages_; }
  unsigned lines() const { return lines_; }
  unsigned switches_per_stage() const { return lines_ / radix_; }

  /// Switch and port of `stage` that line `line` passes, for inputs and outputs alike.
  Place place(unsigned stage, unsigned line) const;
  unsigned line(unsigned stage, Place place) const;
  /// Output port at `stage` for a packet to `destination` that came in by `port`.
  unsigned output(unsigned stage, unsigned port, NodeId destination) const;
  /// Lines of the nodes reachable from output line `line` of `stage`: [first, last), limited to nodes().
  void reached(unsigned stage, unsigned line, NodeId& first, NodeId& last) const;
  /// Returns true if a packet from line `source` can come in by line `line` of `stage`.
  bool carries(unsigned stage, unsigned line, unsigned source) const;
  /// Returns true if the gateway is reachable from output line `line` of `stage`.
  bool reaches_gateway(unsigned stage, unsigned line) const;
  bool redundant(unsigned stage) const { return stage < stages_ - digits_; }

 private:
  unsigned weight(unsigned stage) const { return power_[digits_ - 1 - (stage - (stages_ - digits_))]; }

  unsigned nodes_, radix_, digits_, stages_, lines_;
  NodeId first_node_;
  bool gateway_;
  std::vector<unsigned> power_;  ///< radix^0 .. radix^digits
};

/// Data of one switch to rewrite port bits and to merge synchronizations, as numbers, so that tests can write
/// them. The port bits of a packet at a switch name the FIFOs that it enters, one per output.
class SwitchRoute {
 public:
  SwitchRoute(const Multistage& network, unsigned stage, unsigned switch_index);

  /// Port bits for the receiver at output `output`: the FIFOs of the next switch, or 1 for a node.
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

  /// Inputs from which a synchronization of `members` (systems of at most 64 nodes) expects packets at this
  /// switch: those on the path between any two members.
  std::uint32_t expected_inputs(std::uint64_t members) const { return overlap(sources_, members); }
  std::uint32_t served_outputs(std::uint64_t members) const { return overlap(destinations_, members); }
  /// Inputs expected for a packet. If it has members beyond the gateway, those of its half of the
  /// synchronization (rooms/graph.md, Groups): from the members here to the gateway, or from the gateway
  /// (source: a router) to the members.
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
    std::uint32_t gateway_port = 0;   ///< bit of the next switch's output to the gateway; 0: none
    std::vector<NodeId> first, last;  ///< nodes reachable from each output of the next switch
  };
  /// The nodes of a network with a gateway; all others are reached through the gateway.
  struct Area {
    NodeId first = 0, nodes = ~NodeId{0};
    unsigned gateway_line = 0;
    explicit Area(const Multistage& network);
    unsigned line(NodeId node) const { return node - first < nodes ? node - first : gateway_line; }
    /// Returns true if a node of the map, in this node group, is beyond the gateway.
    bool leaves(std::uint32_t group, std::uint64_t map) const;
  };

  static Output look_ahead(const Multistage& network, unsigned next_stage, unsigned line);
  static std::uint32_t map_ports(const Area& area, const Output& next, std::uint32_t group,
                                 std::uint64_t map) {
    const std::uint32_t ports = node_ports(next, group, map);
    return next.gateway_port != 0 && area.leaves(group, map) ? ports | next.gateway_port : ports;
  }
  /// A synchronization packet enters one FIFO, that of the lowest output needed (rooms/graph.md, Where the
  /// paper is silent, 3).
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
  std::vector<std::uint64_t> sources_;       ///< [input]: nodes 0..63 whose packets may come in there
  std::vector<std::uint64_t> destinations_;  ///< [output]: nodes 0..63 reachable from there
  std::uint32_t gateway_inputs_ = 0, gateway_outputs_ = 0;
};

/// Data of a node, or of the gateway, to set the port bits of its packets for the first switch.
class FirstRoute {
 public:
  FirstRoute(const Multistage& network, unsigned line);
  std::uint32_t next_ports(const Packet& packet) const;
  std::uint32_t single_cast(NodeId destination) const;
  /// Port bits; 0 if the map is empty or names no node of this network.
  std::uint32_t multicast(std::uint32_t group, std::uint64_t map) const;
  std::uint32_t synchronization(std::uint64_t map) const { return synchronization(map, false); }

 private:
  std::uint32_t synchronization(std::uint64_t map, bool from_gateway) const;

  unsigned radix_;
  SwitchRoute::Area area_;
  SwitchRoute::Output next_;
};

}  // namespace tsuji::graph
