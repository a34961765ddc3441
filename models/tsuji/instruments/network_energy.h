// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/instruments/energy_constants.h"
#include "tsuji/network/vc_network.h"

namespace tsuji::instruments {

/// Shape of a network on a plane: routers at their coordinates, a tile apart.
struct PlaneConfig {
  unsigned flit_bits = 64;  ///< wires of each direction of a link, and bits of a buffer's flit
  double tile_mm = 1;       ///< distance of neighbouring coordinates; of all links without coordinates
};

/// A channel of a network and the buffer at its end.
struct HardwareChannel {
  graph::PortRef from,        ///< port that sends, unless a node does
      to;                     ///< port that receives, unless a node does
  bool from_node = false,     ///< a node sends
      to_node = false;        ///< a node receives
  unsigned vcs = 1;           ///< virtual channels
  unsigned buffer_flits = 1;  ///< size of the buffer of each virtual channel
  double width = 1;           ///< wires, in those of a link that has the network's common flit_cycles
  std::optional<double> length_mm = {};  ///< length that link.classes sets; empty: by coordinates

  /// Channels of a network that is built.
  static std::vector<HardwareChannel> of(network::VcNetwork& network);
  /// Channels between routers and of nodes of a network that is not built.
  static std::vector<HardwareChannel> of(const graph::Topology& topology,
                                         const network::VcNetworkConfig& network);
  bool between_routers() const { return !from_node && !to_node; }
};

/// Wires and buffers of a network; wires of nodes' links have no length.
struct NetworkHardware {
  std::uint64_t buffer_bits = 0;         ///< of the input buffers of all routers
  std::uint64_t crossbar_port_bits = 0;  ///< bits of all inputs of all crossbars
  std::uint64_t crosspoint_bits = 0;     ///< bits of all pairs of an input and an output of a crossbar
  std::uint64_t wires = 0;               ///< of links between routers, both directions
  double wire_mm = 0;                    ///< their length
  /// Wires across the middle of that axis of the coordinates across which the fewest lead; empty without
  /// coordinates.
  std::optional<std::uint64_t> bisection_wires;

  NetworkHardware(const graph::Topology& topology, const std::vector<HardwareChannel>& channels,
                  const PlaneConfig& plane);
  /// Area of all routers, in mm2; empty if the constants have none.
  std::optional<double> routers_mm2(const EnergyConstants& constants, unsigned routers) const;
};

/// A component's events and energy.
struct EnergyPart {
  const char* name;
  const char* event;
  std::uint64_t events = 0;
  double dynamic_pj = 0, static_pj = 0;
};

/// Energy of a run: counts of flits, heads and bits times constants, and static power times time.
struct NetworkEnergy {
  std::vector<EnergyPart> parts;

  /// `heads`: visits of heads to routers.
  NetworkEnergy(network::VcNetwork& network, const PlaneConfig& plane, const EnergyConstants& constants,
                std::uint64_t heads, double seconds);
  double dynamic_pj() const;
  double static_pj() const;
};

}  // namespace tsuji::instruments
