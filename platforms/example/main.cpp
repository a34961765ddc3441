// SPDX-License-Identifier: Apache-2.0
#include "own_kinds.h"
#include "tsuji/session/network_main.h"

int sc_main(int argc, char** argv) {
  tsuji::session::NetworkProgram program;
  program.description =
      "A network with a topology, a routing, a router, traffic and instruments of a project's own";
  program.add_kinds = [](tsuji::session::NetworkRunConfig& config) {
    example::add_full_mesh(config.machine.topology.kinds);
    example::add_two_hop(config.machine.routing.kinds);
    example::add_one_buffer(config.machine.network.router_kinds);
    example::add_lowest_input(config.machine.network.router.sa_allocators);
    example::add_most_recently_used(config.machine.lookup.cache.policies);
    example::add_shift(config.traffic.patterns);
    example::add_exchange(config.traffic.kinds);
    example::add_messages(config.workload.trace_formats);
    example::add_longest_latency(config.instruments);
    example::add_buffer_writes(config.instruments);
    config.machine.topology.kind = "full_mesh";
  };
  return tsuji::session::network_main(argc, argv, program);
}
