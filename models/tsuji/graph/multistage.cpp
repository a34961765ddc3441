// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/multistage.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::graph {
namespace {

unsigned digits_for(const MultistageConfig& config) {
  unsigned digits = 1;
  while (config.most_nodes(digits) < config.nodes) ++digits;
  return digits;
}

/// The nodes [first, last) as bits of a map of nodes 64 group .. 64 group + 63.
std::uint64_t map_of(std::uint32_t group, NodeId first, NodeId last) {
  const NodeId group_first = group * 64;
  first = std::max(first, group_first);
  last = std::min(last, group_first + 64);
  if (first >= last) return 0;
  const std::uint64_t width = last - first;
  return (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << (first - group_first);
}

}  // namespace

/// With a gateway, no node is connected to the last output of the first routing stage.
unsigned MultistageConfig::most_nodes(unsigned routing_stages) const {
  unsigned lines = 1;
  for (unsigned stage = 0; stage < routing_stages; ++stage) lines *= radix;
  return gateway ? lines / radix * (radix - 1) : lines;
}

void MultistageConfig::validate(const std::string& section) const {
  if (radix < 2 || radix > 16)
    throw ConfigError(section + ".radix", std::to_string(radix), "no such switch size", "2..16");
  if (nodes < 2 || nodes > 1024)
    throw ConfigError(section + ".nodes", std::to_string(nodes), "out of range", "2..1024");
  if (stages_per_board == 0)
    throw ConfigError(section + ".stages_per_board", "0", "a board without stages", "1 or more");
  const unsigned least = digits_for(*this);
  if (stages != 0 && (stages < least || stages > 12)) {
    throw ConfigError(
        section + ".stages", std::to_string(stages),
        std::to_string(nodes) + " nodes on " + std::to_string(radix) + "-port switches do not fit",
        "0 (whole boards) or " + std::to_string(least) + "..12");
  }
}

Multistage::Multistage(const MultistageConfig& config)
    : nodes_(config.nodes),
      radix_(config.radix),
      digits_(digits_for(config)),
      first_node_(config.first_node),
      gateway_(config.gateway) {
  config.validate();
  const unsigned board = config.stages_per_board;
  stages_ = config.stages != 0 ? config.stages : (digits_ + board - 1) / board * board;
  power_.assign(digits_ + 1, 1);
  for (unsigned d = 1; d <= digits_; ++d) power_[d] = power_[d - 1] * radix_;
  lines_ = power_[digits_];
}

Multistage::Place Multistage::place(unsigned stage, unsigned line) const {
  const unsigned w = redundant(stage) ? 1 : weight(stage);
  const unsigned high = line / (w * radix_);
  return {high * w + line % w, line / w % radix_};
}

unsigned Multistage::line(unsigned stage, Place place) const {
  const unsigned w = redundant(stage) ? 1 : weight(stage);
  return place.switch_index / w * w * radix_ + place.port * w + place.switch_index % w;
}

unsigned Multistage::output(unsigned stage, unsigned port, NodeId destination) const {
  return redundant(stage) ? port : destination / weight(stage) % radix_;
}

void Multistage::reached(unsigned stage, unsigned line, NodeId& first, NodeId& last) const {
  const unsigned span = redundant(stage) ? lines_ : weight(stage);
  first = std::min(line / span * span, nodes_);
  last = std::min(first + span, nodes_);
}

bool Multistage::carries(unsigned stage, unsigned line, unsigned source) const {
  // Digits that have not been replaced by the destination's are still the source's.
  const unsigned kept = redundant(stage) ? lines_ : weight(stage) * radix_;
  return source % kept == line % kept;
}

bool Multistage::reaches_gateway(unsigned stage, unsigned line) const {
  if (!gateway_) return false;
  if (redundant(stage)) return line == gateway_line();
  const unsigned span = weight(stage);
  return line / span == gateway_line() / span;
}

SwitchRoute::Area::Area(const Multistage& network) {
  if (!network.has_gateway()) return;
  first = network.first_node();
  nodes = network.nodes();
  gateway_line = network.gateway_line();
}

bool SwitchRoute::Area::leaves(std::uint32_t group, std::uint64_t map) const {
  return nodes != ~NodeId{0} && (map & ~map_of(group, first, first + nodes)) != 0;
}

SwitchRoute::Output SwitchRoute::look_ahead(const Multistage& network, unsigned next_stage, unsigned line) {
  Output next;
  if (next_stage == network.stages()) return next;
  const Multistage::Place there = network.place(next_stage, line);
  if (network.redundant(next_stage)) {
    next.kind = NextKind::straight;
    next.straight_port = there.port;
    return next;
  }
  next.kind = NextKind::routing;
  for (unsigned port = 0; port < network.radix(); ++port) {
    const unsigned output = network.line(next_stage, {there.switch_index, port});
    NodeId first = 0, last = 0;
    network.reached(next_stage, output, first, last);
    next.first.push_back(network.first_node() + first);
    next.last.push_back(network.first_node() + last);
    if (network.reaches_gateway(next_stage, output)) next.gateway_port = std::uint32_t{1} << port;
  }
  // The number of lines of an output is the weight of the digit that this stage resolves.
  const unsigned line0 = network.line(next_stage, {there.switch_index, 0});
  next.weight = network.line(next_stage, {there.switch_index, 1}) - line0;
  return next;
}

SwitchRoute::SwitchRoute(const Multistage& network, unsigned stage, unsigned switch_index)
    : radix_(network.radix()), area_(network), redundant_(network.redundant(stage)) {
  for (unsigned port = 0; port < radix_; ++port) {
    const unsigned line = network.line(stage, {switch_index, port});
    outputs_.push_back(look_ahead(network, stage + 1, line));
    std::uint64_t sources = 0, destinations = 0;
    NodeId first = 0, last = 0;
    network.reached(stage, line, first, last);
    for (unsigned node = 0; node < network.nodes() && network.first_node() + node < 64; ++node) {
      const std::uint64_t bit = std::uint64_t{1} << (network.first_node() + node);
      if (network.carries(stage, line, node)) sources |= bit;
      // A redundant stage passes each line straight through: reachable from it are the members that came in
      // by this line.
      const bool behind =
          network.redundant(stage) ? network.carries(stage, line, node) : node >= first && node < last;
      if (behind) destinations |= bit;
    }
    sources_.push_back(sources);
    destinations_.push_back(destinations);
    if (network.has_gateway() && network.carries(stage, line, network.gateway_line()))
      gateway_inputs_ |= std::uint32_t{1} << port;
    if (network.reaches_gateway(stage, line)) gateway_outputs_ |= std::uint32_t{1} << port;
  }
}

std::uint32_t SwitchRoute::node_ports(const Output& next, std::uint32_t group, std::uint64_t map) {
  std::uint32_t ports = 0;
  for (unsigned port = 0; port < next.first.size(); ++port) {
    if ((map & map_of(group, next.first[port], next.last[port])) != 0) ports |= std::uint32_t{1} << port;
  }
  return ports;
}

std::uint32_t SwitchRoute::overlap(const std::vector<std::uint64_t>& sets, std::uint64_t members) {
  std::uint32_t ports = 0;
  for (unsigned port = 0; port < sets.size(); ++port) {
    if ((sets[port] & members) != 0) ports |= std::uint32_t{1} << port;
  }
  return ports;
}

FirstRoute::FirstRoute(const Multistage& network, unsigned line)
    : radix_(network.radix()), area_(network), next_(SwitchRoute::look_ahead(network, 0, line)) {}

std::uint32_t FirstRoute::single_cast(NodeId destination) const {
  if (next_.kind == SwitchRoute::NextKind::straight) return std::uint32_t{1} << next_.straight_port;
  return std::uint32_t{1} << (area_.line(destination) / next_.weight % radix_);
}

std::uint32_t FirstRoute::multicast(std::uint32_t group, std::uint64_t map) const {
  if (next_.kind == SwitchRoute::NextKind::straight)
    return map == 0 ? 0 : std::uint32_t{1} << next_.straight_port;
  return SwitchRoute::map_ports(area_, next_, group, map);
}

std::uint32_t FirstRoute::synchronization(std::uint64_t map, bool from_gateway) const {
  if (next_.kind == SwitchRoute::NextKind::straight)
    return map == 0 ? 0 : std::uint32_t{1} << next_.straight_port;
  return SwitchRoute::synchronization_port(area_, next_, map, from_gateway);
}

std::uint32_t FirstRoute::next_ports(const Packet& packet) const {
  switch (packet.kind) {
    case PacketKind::single_cast:
      return single_cast(packet.destination.node());
    case PacketKind::multicast:
      return multicast(packet.group, packet.map);
    case PacketKind::synchronization:
      return synchronization(packet.map, packet.source.is_router());
  }
  return 0;
}

}  // namespace tsuji::graph
