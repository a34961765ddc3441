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

/// Verdicts on Detour-UD with the present faults: messages in recovery, then those before it, and with faults
/// the cost in routers and hops. Exit status 1: recovery does not hold, or routers refuse packets of a node
/// to itself, which it may send (`to_self`). Nothing, and -1, for other routings.
int check_detour(const network::NetworkConfig& machine, const network::NetworkPlan& parts, bool to_self,
                 std::ostream& out);
/// Writes the certificate of Detour-UD's tables; those for the faults of later cycles, too, with the cycle in
/// the file's name ("detour-500.json"), but for those that end all traffic. ConfigError for other routings,
/// ModelError where recovery does not hold.
void write_certificates(const network::NetworkConfig& machine, const std::string& path, std::ostream& out);

/// The faults behind each cycle in which something dies or returns, and first those of cycle 0; each set
/// once, with the first cycle that has it.
std::vector<std::pair<Cycle, graph::FaultSet>> states_of_faults(const network::NetworkConfig& machine,
                                                                const graph::Topology& topology);

/// No node lives: no message moves, and no router has tables. A run may come to that, not begin with it.
bool ends_all_traffic(const graph::Topology& topology, const graph::FaultSet& present);

/// ConfigError for a trace with a rank at a node that does not live. `node_of`: of each rank; `place`: "at",
/// or "behind" its gateway.
void require_living_ranks(const workload::Trace& trace, const std::vector<NodeId>& node_of,
                          const network::TrafficNodes& nodes, const char* place = "at");

}  // namespace tsuji::session
