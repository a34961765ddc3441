// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/graph/topology_kinds.h"
#include "tsuji/lookup/replacement_policies.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/workload/pattern_kinds.h"

// Kinds of this project's own: one function each, in the file of its name.
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
