// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/host/library/collective_program.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

namespace {

struct CollectiveWorkload final : Cenju4Workload {
  host::CollectiveProgram::Config collective;

  void add_keys(config::KeyTable& keys) override {
    keys.add_choice("workload.collective", collective.collective,
                    {{"barrier", host::Collective::barrier},
                     {"broadcast", host::Collective::broadcast},
                     {"all_reduce", host::Collective::all_reduce}},
                    "collective operation");
    keys.add("workload.collective_bytes", collective.bytes, {8, 16ULL << 20}, "bytes",
             "length of a broadcast or an allreduce");
    add_rounds_key(keys, collective.rounds);
    keys.only_with("workload.collective_bytes", {{"workload.collective", {"broadcast", "all_reduce"}}});
  }
  void play(Cenju4Phases& phases) override {
    phases.run_programs<host::CollectiveProgram>("collective", collective);
    const unsigned ranks = phases.job().ranks();
    const double cycles =
        host::mean_round_cycles(ranks, [&](unsigned rank) -> const host::CollectiveProgram& {
          return phases.program<host::CollectiveProgram>(rank);
        });
    phases.results().metric("collective_time_us", phases.us_of(cycles), "us",
                            "collective of " + std::to_string(ranks) + " ranks");
  }
};

}  // namespace

void add_collective(Cenju4Workloads& kinds) {
  add_workload<CollectiveWorkload>(kinds, "collective", {"a collective operation of the library", {}});
}

}  // namespace tsuji::session
