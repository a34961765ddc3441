// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::traffic {

/// Rule that selects the network port of a packet. packet: each packet on the next port; message: each
/// message on the next port; destination: the port with the destination's number modulo the number of ports.
enum class RailChoice : std::uint8_t { packet, message, destination };

/// Nodes with several network ports. Each port takes the place of a node of the topology, here called a
/// place; a node with one port is its place. A packet arrives at the port with the number of the port that
/// sent it.
class Rails {
 public:
  /// Nodes with one port.
  Rails() = default;
  /// Nodes with `count` ports, whose places have the distance `stride` and start in the first `stride` of
  /// each `stride` x `count` places.
  Rails(unsigned count, std::uint32_t stride, RailChoice choice)
      : count_(count), stride_(stride), choice_(choice) {}

  /// Network ports of a node.
  unsigned count() const { return count_; }
  /// Distance of the places of a node.
  std::uint32_t stride() const { return stride_; }
  /// Rule that selects the port of a packet.
  RailChoice choice() const { return choice_; }
  /// Place of port `rail` of a node.
  NodeId place(NodeId node, unsigned rail) const {
    return count_ == 1 ? node : node / stride_ * stride_ * count_ + rail * stride_ + node % stride_;
  }
  /// Node to which a place belongs.
  NodeId node(NodeId place) const {
    return count_ == 1 ? place : place / (stride_ * count_) * stride_ + place % stride_;
  }
  /// Port of its node that a place is.
  unsigned rail(NodeId place) const { return count_ == 1 ? 0 : place / stride_ % count_; }
  /// Port for a packet or message that has the number `number` among those of its node.
  unsigned choose(std::uint64_t number, NodeId destination) const {
    return static_cast<unsigned>((choice_ == RailChoice::destination ? destination : number) % count_);
  }
  /// Share of the packets for a destination that port `rail` carries.
  double share(unsigned rail, NodeId destination) const {
    if (choice_ == RailChoice::destination) return destination % count_ == rail ? 1.0 : 0.0;
    return 1.0 / count_;
  }

 private:
  unsigned count_ = 1;
  std::uint32_t stride_ = 1;
  RailChoice choice_ = RailChoice::packet;
};

}  // namespace tsuji::traffic
