// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/graph/topology_kinds.h"
#include "tsuji/lookup/routing_table_cache.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/workload/pattern_kinds.h"

// What the examples add, each in its source under platforms/example.
namespace tsuji::graph {
void add_full_mesh(TopologyKinds& kinds);
}
namespace tsuji::lookup {
void add_most_recently_used(ReplacementPolicies& policies);
}
namespace tsuji::routing {
void add_two_hop(RoutingKinds& kinds);
}
namespace tsuji::workload {
void add_shift(PatternKinds& kinds);
}
