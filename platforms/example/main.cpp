// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exchange.h"
#include "own_kinds.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/platform/network_slices.h"

namespace {

using namespace tsuji;

struct Config {
  network::NetworkConfig machine;
  example::ExchangeConfig exchange;

  Config() {
    example::add_full_mesh(machine.topology.kinds);
    example::add_two_hop(machine.routing.kinds);
    example::add_most_recently_used(machine.lookup.cache.policies);
    example::add_shift(exchange.patterns);
    machine.topology.kind = "full_mesh";
  }
};

void run(const Config& config, const platform::RunOptions& options, observe::Results& results) {
  const network::NetworkConfig& machine = config.machine;
  const graph::Topology topology = network::make_topology(machine.topology, machine.link_latency_cycles);
  const auto routing = network::make_routing(machine.routing, topology, machine.network.vcs);
  machine.network.validate_with(topology, *routing);
  machine.lookup.validate_with(topology, *routing, machine.routing.kind);
  const auto pattern = config.exchange.make_pattern(topology.nodes(), options.seed);

  Cycle latency_cycles = 0, longest_cycles = 0, last_cycle = 0;
  network::LoadedNetwork::Parts parts{machine, topology, *routing};
  parts.seed = options.seed;
  parts.make_source = [&](NodeId node) {
    return std::make_unique<example::Exchange>(config.exchange, pattern, node, options.seed);
  };
  parts.on_delivered = [&](const observe::DeliveredPacket& packet) {
    const Cycle cycles = packet.tail_cycle - packet.created;
    latency_cycles += cycles;
    longest_cycles = std::max(longest_cycles, cycles);
    last_cycle = std::max(last_cycle, packet.tail_cycle);
  };
  parts.deliveries_lookahead_cycles = never;
  network::LoadedNetwork loaded(parts);

  platform::NetworkSlices slices(loaded, options, results);
  constexpr Cycle slice_cycles = 1000;
  while (!loaded.idle()) slices.run_to(loaded.now() + slice_cycles);
  loaded.check_conservation();

  const observe::PacketFates fates = loaded.fates();
  fates.add_to(results, "network");
  results.metric("packets", fates.delivered, "packets");
  results.metric("packets_dropped", loaded.supervisor().packets_dropped(), "packets");
  // The mean of nothing is null.
  const observe::Value mean =
      fates.delivered == 0
          ? observe::Value(nullptr)
          : observe::Value(static_cast<double>(latency_cycles) / static_cast<double>(fates.delivered));
  results.metric("latency_cycles_mean", mean, "cycles");
  results.metric("latency_cycles_most", longest_cycles, "cycles");
  results.metric("exchange_cycles", last_cycle, "cycles");
  results.headline(topology.name() + ", " + std::to_string(topology.nodes()) + " nodes, " +
                   machine.routing.kind);
}

}  // namespace

int sc_main(int argc, char** argv) {
  Config config;
  platform::Platform example;
  example.name = "example";
  example.description =
      "A network of a project's own: topology, routing, pattern, traffic and replacement policy";
  example.add_keys = [&](config::KeyTable& keys) {
    network::add_network_keys(keys, config.machine);
    config.exchange.add_keys(keys);
  };
  example.resolve = [&] { config.machine.resolve(); };
  example.validate = [&] {
    config.machine.validate();
    config.exchange.validate(ClockPeriod(config.machine.clock_period_ps));
    network::require_room(config.machine, config.exchange.packet_flits);
  };
  example.run = [&](const platform::RunOptions& options, observe::Results& results) {
    run(config, options, results);
  };
  return platform::run_platform(argc, argv, example);
}
