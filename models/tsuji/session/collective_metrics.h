// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/results/results.h"
#include "tsuji/session/node_work.h"
#include "tsuji/traffic/replay_source.h"

namespace tsuji::session {

/// Adds the metrics collective_* of a workload.kind collective on `ranks` ranks, whose rounds took `cycles`
/// together: time and bandwidths of a round.
void add_collective(observe::Results& results, const NodeWorkParts& parts, std::size_t ranks, Cycle cycles);
/// Adds the time of a round in the alpha-beta model (workload::uncontended_cycles) of network interfaces that
/// only divide messages into packets. Adds nothing, and returns false, for more than
/// graph::NodeDistances::most_routers routers and where links differ.
bool add_collective_model(observe::Results& results, const NodeWorkParts& parts,
                          const traffic::RankPlaces& places);
/// "all_reduce of 1048576 bytes by ring, 64 ranks".
std::string collective_headline(const workload::CollectiveLoad& load, std::size_t ranks);
/// Selects the lines of add_collective() on the terminal. `has_model`: add_collective_model() has added its
/// metric.
void show_collective(observe::Results& results, bool has_model);

}  // namespace tsuji::session
