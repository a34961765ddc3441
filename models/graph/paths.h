#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

inline constexpr std::uint16_t unreachable = 0xFFFF;

/// For every router the links to cross to `router`, in the directions in which links carry flits;
/// `unreachable` where there is no path.
std::vector<std::uint16_t> hops_to(const Topology& topology, RouterId router);

}  // namespace tsuji::graph
