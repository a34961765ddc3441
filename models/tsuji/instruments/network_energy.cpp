// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/network_energy.h"

#include <algorithm>
#include <cmath>

namespace tsuji::instruments {
namespace {

using Use = network::VcNetwork::ChannelUse;

/// Sets what the class of a link between routers determines.
HardwareChannel with_class(HardwareChannel channel, const graph::Topology& topology,
                           Cycle common_flit_cycles) {
  const graph::LinkClass& one =
      topology.link_class(topology.far(channel.from.router, channel.from.port).link);
  channel.width =
      static_cast<double>(common_flit_cycles) / static_cast<double>(one.flit_cycles_or(common_flit_cycles));
  channel.length_mm = one.length_mm;
  return channel;
}

HardwareChannel channel_of(const Use& use, const network::VcNetwork& network) {
  const HardwareChannel channel{
      use.place.from, use.place.to,   use.place.from_node.has_value(), use.place.to_node.has_value(),
      use.vcs,        use.depth_flits};
  return channel.between_routers() ? with_class(channel, network.topology(), network.config().flit_cycles)
                                   : channel;
}

/// A narrower link takes a flit in parts, the last of which may be smaller.
std::uint64_t wires_of(const HardwareChannel& channel, unsigned flit_bits) {
  return static_cast<std::uint64_t>(std::ceil(flit_bits * channel.width - 1e-9));
}

/// Along the axes, as wires on a plane are laid.
double length_mm(const graph::Topology& topology, const HardwareChannel& channel, const PlaneConfig& plane) {
  if (!channel.between_routers()) return 0;
  if (channel.length_mm) return *channel.length_mm;
  const graph::Coordinates from = topology.coordinates(channel.from.router);
  const graph::Coordinates to = topology.coordinates(channel.to.router);
  if (from.empty() || from.size() != to.size()) return plane.tile_mm;
  double tiles = 0;
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    tiles += std::abs(static_cast<double>(from[axis]) - static_cast<double>(to[axis]));
  return tiles * plane.tile_mm;
}

struct Ports {
  unsigned inputs = 0, outputs = 0;
};

std::vector<Ports> ports_of_routers(const std::vector<HardwareChannel>& channels, unsigned routers) {
  std::vector<Ports> ports(routers);
  for (const HardwareChannel& channel : channels) {
    if (!channel.from_node) ++ports[channel.from.router].outputs;
    if (!channel.to_node) ++ports[channel.to.router].inputs;
  }
  return ports;
}

std::optional<std::uint64_t> bisection_wires(const graph::Topology& topology,
                                             const std::vector<HardwareChannel>& channels,
                                             unsigned flit_bits) {
  std::optional<std::uint64_t> fewest;
  const std::size_t axes = topology.routers() == 0 ? 0 : topology.coordinates(0).size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    unsigned last = 0;
    for (graph::RouterId router = 0; router < topology.routers(); ++router) {
      if (topology.coordinates(router).size() != axes) return std::nullopt;
      last = std::max(last, topology.coordinates(router)[axis]);
    }
    if (last == 0) continue;
    const unsigned middle = (last + 1) / 2;
    std::uint64_t wires = 0;
    for (const HardwareChannel& channel : channels) {
      if (!channel.between_routers()) continue;
      const bool from = topology.coordinates(channel.from.router)[axis] < middle;
      const bool to = topology.coordinates(channel.to.router)[axis] < middle;
      if (from != to) wires += wires_of(channel, flit_bits);
    }
    if (!fewest || wires < *fewest) fewest = wires;
  }
  return fewest;
}

}  // namespace

std::vector<HardwareChannel> HardwareChannel::of(network::VcNetwork& network) {
  std::vector<HardwareChannel> channels;
  for (const Use& use : network.channel_uses()) channels.push_back(channel_of(use, network));
  return channels;
}

std::vector<HardwareChannel> HardwareChannel::of(const graph::Topology& topology,
                                                 const network::VcNetworkConfig& network) {
  using Far = graph::Topology::Far::Kind;
  std::vector<HardwareChannel> channels;
  for (graph::RouterId router = 0; router < topology.routers(); ++router) {
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      const graph::Topology::Far& far = topology.far(router, port);
      if (far.sends && far.kind == Far::router)
        channels.push_back(
            with_class({{router, port}, far.at, false, false, network.vcs, network.buffer_flits}, topology,
                       network.flit_cycles));
    }
  }
  const unsigned node_vcs = network.vcs_of_nodes();
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    channels.push_back({{}, topology.node(node).inject, true, false, node_vcs, network.buffer_flits});
    channels.push_back({topology.node(node).eject, {}, false, true, node_vcs, network.buffer_flits});
  }
  return channels;
}

NetworkHardware::NetworkHardware(const graph::Topology& topology,
                                 const std::vector<HardwareChannel>& channels, const PlaneConfig& plane) {
  for (const HardwareChannel& channel : channels) {
    if (!channel.to_node) {
      buffer_bits += std::uint64_t{channel.vcs} * channel.buffer_flits * plane.flit_bits;
      crossbar_port_bits += plane.flit_bits;
    }
    if (!channel.between_routers()) continue;
    const std::uint64_t of_channel = wires_of(channel, plane.flit_bits);
    wires += of_channel;
    wire_mm += static_cast<double>(of_channel) * length_mm(topology, channel, plane);
  }
  for (const Ports& of : ports_of_routers(channels, topology.routers()))
    crosspoint_bits += std::uint64_t{of.inputs} * of.outputs * plane.flit_bits;
  bisection_wires = instruments::bisection_wires(topology, channels, plane.flit_bits);
}

std::optional<double> NetworkHardware::routers_mm2(const EnergyConstants& constants, unsigned routers) const {
  if (!constants.has_area) return std::nullopt;
  const double um2 = static_cast<double>(buffer_bits) * constants.buffer_area +
                     static_cast<double>(crosspoint_bits) * constants.crossbar_area +
                     routers * constants.control_area;
  return um2 * 1e-6;
}

NetworkEnergy::NetworkEnergy(network::VcNetwork& network, const PlaneConfig& plane,
                             const EnergyConstants& constants, std::uint64_t heads, double seconds) {
  const NetworkHardware hardware(network.topology(), HardwareChannel::of(network), plane);
  const double bits = plane.flit_bits;
  const auto still = [&](double microwatts) { return microwatts * 1e6 * seconds; };  // uW s = 1e6 pJ
  EnergyPart write{"buffers", "write"}, read{"buffers", "read"}, crossbar{"crossbars", "flit"},
      routing{"control", "route computation"}, selection{"control", "choice of an output"},
      link{"links", "flit"}, interface {
    "network interfaces", "flit"
  };
  for (const Use& use : network.channel_uses()) {
    const std::uint64_t flits = use.sent;
    const auto count = static_cast<double>(flits);
    const double depth = use.depth_flits;
    if (!use.place.to_node) {
      write.events += flits;
      write.dynamic_pj += count * bits * (constants.buffer_write + depth * constants.buffer_write_depth);
      // Flits that are still in the buffers have not been read.
      const std::uint64_t reads = flits - use.held;
      read.events += reads;
      read.dynamic_pj +=
          static_cast<double>(reads) * bits * (constants.buffer_read + depth * constants.buffer_read_depth);
    }
    if (const HardwareChannel channel = channel_of(use, network); channel.between_routers()) {
      link.events += flits;
      link.dynamic_pj += count * bits * constants.link * length_mm(network.topology(), channel, plane);
    } else {
      interface.events += flits;
      interface.dynamic_pj += count * bits * constants.network_interface;
    }
  }
  crossbar.events = network.counters().flits;
  crossbar.dynamic_pj = static_cast<double>(crossbar.events) * bits * constants.crossbar;
  routing.events = selection.events = heads;
  routing.dynamic_pj = static_cast<double>(heads) * constants.routing;
  selection.dynamic_pj = static_cast<double>(heads) * constants.selection;
  write.static_pj = still(static_cast<double>(hardware.buffer_bits) * constants.buffer_static);
  crossbar.static_pj = still(static_cast<double>(hardware.crossbar_port_bits) * constants.crossbar_static);
  routing.static_pj = still(network.routers() * constants.control_static);
  link.static_pj = still(static_cast<double>(hardware.wires) * constants.link_static);
  parts = {write, read, crossbar, routing, selection, link, interface};
}

double NetworkEnergy::dynamic_pj() const {
  double sum = 0;
  for (const EnergyPart& part : parts) sum += part.dynamic_pj;
  return sum;
}

double NetworkEnergy::static_pj() const {
  double sum = 0;
  for (const EnergyPart& part : parts) sum += part.static_pj;
  return sum;
}

}  // namespace tsuji::instruments
