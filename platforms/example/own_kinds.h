// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/graph/topology_kinds.h"
#include "tsuji/lookup/replacement_policies.h"
#include "tsuji/router/router_kinds.h"
#include "tsuji/router/switch_allocator_kinds.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/traffic/traffic_kinds.h"
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/trace_formats.h"

// Kinds of this project's own: one function each, in the file of its name.
namespace example {
void add_full_mesh(tsuji::graph::TopologyKinds& kinds);
void add_two_hop(tsuji::routing::RoutingKinds& kinds);
void add_one_buffer(tsuji::router::RouterKinds& kinds);
void add_lowest_input(tsuji::router::SwitchAllocatorKinds& kinds);
void add_most_recently_used(tsuji::lookup::ReplacementPolicies& policies);
void add_shift(tsuji::workload::PatternKinds& kinds);
void add_exchange(tsuji::traffic::TrafficKinds& kinds);
void add_messages(tsuji::workload::TraceFormats& formats);
void add_longest_latency(tsuji::session::InstrumentTable& instruments);
void add_buffer_writes(tsuji::session::InstrumentTable& instruments);
}  // namespace example
