// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/host/library/barrier_program.h"
#include "tsuji/host/library/group_barrier.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

void BarrierWorkload::add_keys(config::KeyTable& keys) {
  keys.add("workload.barrier_rounds", rounds, {1, 1'000'000'000}, "barriers",
           "number of consecutive barriers");
  keys.add_choice("workload.barrier_method", method,
                  {{"library", Method::library},
                   {"all_to_all", Method::all_to_all},
                   {"binary_tree", Method::binary_tree},
                   {"atomic_add", Method::atomic_add},
                   {"multicast_add", Method::multicast_add},
                   {"synchronization", Method::synchronization}},
                  "algorithm of the barrier; library: the library's barrier of all nodes; the others "
                  "synchronize a group, by single casts from all to all, a binary tree, single-cast or "
                  "multicast atomic adds, or synchronization packets");
  keys.add("workload.barrier_members", members, {0, 1024}, "nodes",
           "number of nodes in the group that synchronizes, from node 0 upwards; 0: all nodes");
  keys.only_with("workload.barrier_members",
                 {{"workload.barrier_method",
                   {"all_to_all", "binary_tree", "atomic_add", "multicast_add", "synchronization"}}});
}

void BarrierWorkload::validate_with(const machines::Cenju4Config& machine) const {
  require_nodes("workload.barrier_members", members, machine);
  if (method == Method::synchronization &&
      machine.network.topology.nodes > host::OsTask::most_synchronizing_nodes) {
    throw ConfigError("workload.barrier_method", "synchronization",
                      "a system of more than 64 nodes has no synchronization packets", "another method");
  }
}

/// Cycles of a group's barrier at its slowest member.
double BarrierWorkload::cycles_of_group(Cenju4Phases& phases) const {
  using Program = host::GroupBarrierProgram;
  Program::Config config;
  config.method = static_cast<host::GroupBarrierMethod>(static_cast<unsigned>(method) -
                                                        static_cast<unsigned>(Method::all_to_all));
  config.members = members == 0 ? phases.job().ranks() : members;
  config.rounds = rounds;
  phases.run_programs<Program>("barrier", config);
  return most_of<Program>(phases.job(), config.members,
                          [](const Program& rank) { return rank.cycles_per_round(); });
}

void BarrierWorkload::play(Cenju4Phases& phases) {
  const bool library = method == Method::library;
  double worst = 0;
  if (library) {
    phases.run_programs<host::BarrierProgram>("barrier", rounds);
    worst = most_of<host::BarrierProgram>(
        phases.job(), phases.job().ranks(),
        [](const host::BarrierProgram& rank) { return rank.cycles_per_round(); });
  } else {
    worst = cycles_of_group(phases);
  }
  const unsigned ranks = phases.job().ranks();
  const bool synchronizes = library ? phases.config().library.barrier == host::BarrierMethod::hardware
                                    : method == Method::synchronization;
  phases.results().metric(
      "barrier_time_us", phases.us_of(worst), "us",
      "barrier of " + std::to_string(library || members == 0 ? ranks : members) + " ranks",
      synchronizes && ranks <= 32 ? "about 5 (fig. 10, E)" : "");
}

void add_barrier(Cenju4Workloads& kinds) {
  add_workload<BarrierWorkload>(kinds, "barrier", {"barriers of all nodes or of a group", {}});
}

}  // namespace tsuji::session
