// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// The output straight on at a router from which no port leads up: for input i output i + 1 (modulo the
/// ports), or the port itself.
enum class TopTurn : std::uint8_t { next, same };

/// For each input port of a router, the output port straight on, or `none` (Static Straight of Tateshita
/// 2009, 2.2): the opposite one, and at the root of a tree the one of `top`. Empty on a topology without
/// opposite ports.
std::vector<std::uint32_t> straight_ports(const Topology& topology, RouterId router, TopTurn top);

/// The same for inputs from below alone, and ports that lead up: of input i the i-th of them (modulo their
/// number), which is the opposite one where there are as many up as down (Up Priority). Empty on a topology
/// without levels.
std::vector<std::uint32_t> up_ports(const Topology& topology, RouterId router);

}  // namespace tsuji::graph
