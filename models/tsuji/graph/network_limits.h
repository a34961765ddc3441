// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tsuji::graph {

/// Most routers, and most nodes, of a generated network.
inline constexpr std::uint64_t most_generated = 1U << 20;

/// Most elements of the finite field of a topology.
inline constexpr unsigned most_field_elements = 128;

/// Refuses more than `most_generated` routers, with `key` and its `value`.
void check_routers(const std::string& key, unsigned value, std::uint64_t routers);
/// Refuses more than `most_generated` nodes at `routers` routers, with topology.nodes_per_router.
void check_nodes(std::uint64_t routers, unsigned nodes_per_router);

}  // namespace tsuji::graph
