// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/network/config/network_plan.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/results/results.h"
#include "tsuji/routing/routing.h"
#include "tsuji/workload/trace.h"

namespace tsuji::session {

/// Prints verdicts on Detour-UD under the present faults: messages in recovery, messages before it, and with
/// faults their cost in routers and hops. Returns exit status 1 if recovery does not hold, or if routers
/// refuse packets of a node to itself although it may send them (`to_self`). Does nothing and returns -1 for
/// other routings.
int check_detour(const network::NetworkConfig& machine, const network::NetworkPlan& parts, bool to_self,
                 std::ostream& out);
/// Writes the certificate of Detour-UD's tables, and those for the faults of later cycles with the cycle in
/// the file's name ("detour-500.json"), except for faults that end all traffic. ConfigError for other
/// routings, ModelError if recovery does not hold.
void write_certificates(const network::NetworkConfig& machine, const std::string& path, std::ostream& out);

/// The different fault sets of a run with the first cycle of each: that of cycle 0, and those after each
/// cycle with a failure or return.
std::vector<std::pair<Cycle, graph::FaultSet>> states_of_faults(const network::NetworkConfig& machine,
                                                                const graph::Topology& topology);

/// Returns true if no node lives, so that no message moves and no router has tables. A run may reach this
/// state, but not begin with it.
bool ends_all_traffic(const graph::Topology& topology, const graph::FaultSet& present);

/// ConfigError for a trace with a rank at a dead node. `node_of`: [rank]; `place`: relation of rank and node
/// in the message, such as "at".
void require_living_ranks(const workload::Trace& trace, const std::vector<NodeId>& node_of,
                          const network::TrafficNodes& nodes, const char* place = "at");

}  // namespace tsuji::session
