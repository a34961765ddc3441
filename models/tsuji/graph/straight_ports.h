// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Output straight on at a router without up ports: for input i output i + 1 (modulo the ports), or the input
/// port itself.
enum class TopTurn : std::uint8_t { next, same };

/// [input port]: output port straight on, or `none` (Static Straight of Tateshita 2009, 2.2): the opposite
/// port, and at the root of a tree the one given by `top`. Empty for a topology without opposite ports.
std::vector<std::uint32_t> straight_ports(const Topology& topology, RouterId router, TopTurn top);

/// [input port]: up port straight on, for inputs from below (Up Priority of Tateshita 2009, 2.2): for input i
/// the i-th up port (modulo their number), which is the opposite one if there are as many up as down ports;
/// otherwise `none`. Empty for a topology without levels.
std::vector<std::uint32_t> up_ports(const Topology& topology, RouterId router);

}  // namespace tsuji::graph
