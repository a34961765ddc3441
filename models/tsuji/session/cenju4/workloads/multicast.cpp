// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/host/library/multicast_program.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

void MulticastWorkload::add_keys(config::KeyTable& keys) {
  keys.add("workload.multicast_bytes", bytes, {8, 64ULL << 20}, "bytes",
           "length of the multicast, a multiple of 8");
}

void MulticastWorkload::validate_with(const machines::Cenju4Config&) const {
  require_whole_words("workload.multicast_bytes", bytes, 8);
}

void MulticastWorkload::play(Cenju4Phases& phases) {
  using Program = host::MulticastProgram;
  Program::Config config;
  config.bytes = bytes;
  phases.run_programs<Program>("multicast", config);
  const Cycle start = phases.program<Program>(config.root).start_cycle();
  const Cycle last = most_of<Program>(phases.job(), phases.job().ranks(),
                                      [](const Program& rank) { return rank.arrival_cycle(); });
  observe::Results& results = phases.results();
  results.metric("multicast_bytes", bytes, "B");
  results.metric("multicast_time_us", phases.us(last - start), "us",
                 "multicast of " + std::to_string(bytes) + " B: call to the last rank");
}

void add_multicast(Cenju4Workloads& kinds) {
  add_workload<MulticastWorkload>(kinds, "multicast", {"the library's multicast from node 0", {}});
}

}  // namespace tsuji::session
