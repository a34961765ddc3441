// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

void PingPongWorkload::add_keys(config::KeyTable& keys) {
  keys.add("workload.message_bytes", message_bytes, {8, 64ULL << 20}, "bytes",
           "length of the ping_pong message, a multiple of 8");
  keys.add("workload.ping_pong_rounds", rounds, {1, 1'000'000}, "",
           "number of ping_pong round trips that are measured");
  keys.add_choice("workload.message_data", data,
                  {{"dirty", host::MessageData::dirty}, {"clean", host::MessageData::clean}},
                  "state of the ping_pong message in its sender's cache");
  keys.add("workload.source_offset", source_offset, {0, 120}, "bytes",
           "offset of the ping_pong message from the start of a cache line at its sender, a multiple of 8");
  keys.add(
      "workload.system_call", system_call,
      "whether a system call, which flushes the message from the cache, precedes every ping_pong message");
}

void PingPongWorkload::validate_with(const machines::Cenju4Config&) const {
  require_whole_words("workload.message_bytes", message_bytes, 8);
  require_whole_words("workload.source_offset", source_offset, 8);
}

void PingPongWorkload::play_layer(host::PingPong::Layer layer, const std::string& name,
                                  const std::string& paper, Cenju4Phases& phases) const {
  host::PingPong::Config config;
  config.layer = layer;
  config.bytes = message_bytes;
  config.rounds = rounds;
  config.data = data;
  config.source_offset = source_offset;
  config.system_call = system_call;
  phases.run_programs<host::PingPong>("ping_pong_" + name, config);
  phases.results().metric(name + "_latency_us",
                          phases.us_of(phases.program<host::PingPong>(config.first).one_way_cycles()), "us",
                          name + ": " + std::to_string(message_bytes) + " B one way",
                          message_bytes == 8 && !system_call ? paper : "");
}

void PingPongWorkload::play(Cenju4Phases& phases) {
  play_layer(host::PingPong::Layer::paralib, "paralib", "4.9 (fig. 6)", phases);
  play_layer(host::PingPong::Layer::mpi, "mpi", "9.1 (fig. 6)", phases);
}

void add_ping_pong(Cenju4Workloads& kinds) {
  add_workload<PingPongWorkload>(kinds, "ping_pong",
                                 {"messages between nodes 0 and 1, by the library and by MPI", {}});
}

}  // namespace tsuji::session
