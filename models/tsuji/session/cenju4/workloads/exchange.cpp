// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/host/library/exchange_program.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

struct ExchangeWorkload final : Cenju4Workload {
  host::ExchangeProgram::Config exchange;

  void add_keys(config::KeyTable& keys) override {
    keys.add_choice(
        "workload.exchange_method", exchange.method,
        {{"in_order", host::ExchangeMethod::in_order},
         {"staggered", host::ExchangeMethod::staggered},
         {"multicast", host::ExchangeMethod::multicast},
         {"to_one", host::ExchangeMethod::to_one}},
        "order of the exchange; in_order: every node sends to nodes 0, 1, 2, ..; staggered: node i sends to "
        "i + 1, i + 2, .., i; multicast: every node multicasts to all; to_one: all nodes send to node 0");
    keys.add("workload.exchange_bytes", exchange.bytes, {8, 16ULL << 20}, "bytes",
             "length of a node's block, a multiple of 8");
    keys.add("workload.exchange_peers", exchange.peers, {0, 1024}, "nodes",
             "number of nodes to which each node i puts a block: i + 1, i + 2, ..; 0: all nodes");
    add_rounds_key(keys, exchange.rounds);
    keys.only_with("workload.exchange_peers", {{"workload.exchange_method", {"staggered"}}});
  }
  void validate_with(const machines::Cenju4Config& machine) const override {
    require_whole_words("workload.exchange_bytes", exchange.bytes, 8);
    require_nodes("workload.exchange_peers", exchange.peers, machine);
  }
  void play(Cenju4Phases& phases) override;

 private:
  void report(Cenju4Phases& phases, double cycles) const;
};

std::uint64_t flits_to_nodes(Cenju4Phases& phases, unsigned nodes) {
  std::uint64_t flits = 0;
  for (NodeId node = 0; node < nodes; ++node) flits += phases.machine().network().to_node(node).flits_sent();
  return flits;
}

void ExchangeWorkload::play(Cenju4Phases& phases) {
  const unsigned receivers = exchange.method == host::ExchangeMethod::to_one ? 1 : phases.machine().nodes();
  const std::uint64_t flits_before = flits_to_nodes(phases, receivers);
  phases.run_programs<host::ExchangeProgram>("exchange", exchange);
  const double cycles =
      host::mean_round_cycles(phases.job().ranks(), [&](unsigned rank) -> const host::ExchangeProgram& {
        return phases.program<host::ExchangeProgram>(rank);
      });
  report(phases, cycles);
  // Includes the few flits of the barriers between the rounds.
  phases.results().metric("exchange_last_links_busy",
                          static_cast<double>(flits_to_nodes(phases, receivers) - flits_before) /
                              (cycles * static_cast<double>(exchange.rounds) * receivers),
                          "");
}

void ExchangeWorkload::report(Cenju4Phases& phases, double cycles) const {
  observe::Results& results = phases.results();
  auto& ranks = results.table("exchange_ranks", {{"rank", ""}, {"mean_time", "us"}});
  for (unsigned rank = 0; rank < phases.job().ranks(); ++rank) {
    const auto& program = phases.program<host::ExchangeProgram>(rank);
    Cycle sum = 0;
    for (std::size_t round = 0; round < exchange.rounds; ++round)
      sum += program.end_cycle(round) - program.start_cycle(round);
    ranks.row({rank, phases.us(sum) / static_cast<double>(exchange.rounds)});
  }
  const double time = phases.us_of(cycles);
  const double bytes =
      static_cast<double>(exchange.bytes) * phases.program<host::ExchangeProgram>(0).blocks();
  results.metric("exchange_bytes_received", bytes, "B");
  results.metric("exchange_time_us", time, "us",
                 "exchange of " + std::to_string(exchange.bytes) + " B a block");
  results.metric("exchange_throughput_mib_s", bytes / mebibyte / time * 1e6, "2^20 B/s",
                 "exchange: received by a node");
  results.metric("exchange_throughput_mb_s", bytes / time, "10^6 B/s");
}

}  // namespace

void add_exchange(Cenju4Workloads& kinds) {
  add_workload<ExchangeWorkload>(kinds, "exchange", {"every node puts a block to every node", {}});
}

}  // namespace tsuji::session
