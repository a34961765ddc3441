// SPDX-License-Identifier: Apache-2.0
// Random programs of all protocols against a sequential model of memory, on machines with several jobs in
// turns, pages on demand and bit errors at once.

#include <memory>

#include "machines/mixed_protocols.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::test;

namespace {

/// A machine and its jobs, drawn from a seed.
struct Drawn {
  Drawn(std::uint64_t seed, std::uint64_t operations_of_a_rank) {
    CounterRandom random(seed, 99);
    machines::Cenju4Config config = small_machine(2 + static_cast<unsigned>(random.below(15)));
    const unsigned nodes = config.network.topology.nodes;
    config.os.paging = random.below(2) == 0 ? host::Paging::on_demand : host::Paging::present;
    config.os.page_fault_ns = 2000;
    config.processor.interrupt_ns = 1000;
    config.task_switch_ns = 1000;
    config.time_slice_us = 20.0 + static_cast<double>(random.below(200));
    // Two errors in one word are a double-bit error, whose packet is not sent again: errors must be rare.
    config.faults.single_bit_per_flit = random.below(2) == 0 ? 0.00002 : 0;
    config.faults.data_words_only = true;
    config.faults.seed = seed;
    config.nic.receiver.buffer_entries = 1 + static_cast<unsigned>(random.below(3));
    config.library.realignment =
        random.below(2) == 0 ? host::Realignment::hardware : host::Realignment::software;
    const auto count = 1 + random.below(5);
    for (std::uint64_t job = 0; job < count; ++job) config.jobs.push_back(placement(random, nodes));
    config.resolve();
    config.validate();
    machine = std::make_unique<machines::Cenju4Machine>(("seed" + std::to_string(seed)).c_str(), config);
    for (unsigned number = 0; number < count; ++number) {
      jobs.push_back(std::make_unique<platform::Cenju4Job>(*machine, number));
      logs.push_back(std::make_unique<MixedLog>(jobs.back()->ranks()));
      MixedLog* log = logs.back().get();
      jobs.back()->load([=](host::RankRuntime& runtime) {
        return std::make_unique<Script>(runtime, [=](host::RankRuntime& own) {
          MixedProtocols(own, seed * 100 + number, operations_of_a_rank, *log).play();
        });
      });
    }
  }
  /// Places two ranks or more, each on another node.
  static machines::JobPlacement placement(CounterRandom& random, unsigned nodes) {
    machines::JobPlacement all(nodes), chosen;
    for (NodeId node = 0; node < nodes; ++node) all[node] = node;
    const auto ranks = 2 + random.below(nodes - 1);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const auto place = static_cast<std::ptrdiff_t>(random.below(all.size()));
      chosen.push_back(all[static_cast<std::size_t>(place)]);
      all.erase(all.begin() + place);
    }
    return chosen;
  }
  std::uint64_t run() {
    jobs[0]->run([](Cycle) {});
    check_accounts(*machine);
    CHECK(machine->packets_dropped() == 0);
    for (NodeId node = 0; node < machine->nodes(); ++node)
      corrected += machine->node(node).interface().receiver_counters().corrected;
    std::uint64_t operations = 0;
    for (const auto& log : logs) {
      CHECK(log->problem().empty());
      INFO(log->problem());
      operations += log->operations;
    }
    for (NodeId node = 0; node < machine->nodes(); ++node)
      switches += machine->node(node).processor().counters().task_switches;
    return operations;
  }
  std::unique_ptr<machines::Cenju4Machine> machine;
  std::vector<std::unique_ptr<platform::Cenju4Job>> jobs;
  std::vector<std::unique_ptr<MixedLog>> logs;
  std::uint64_t switches = 0, corrected = 0;
};

/// Runs machines with the seeds from `first` on.
void run_machines(std::uint64_t first, unsigned machines, std::uint64_t operations_of_a_rank,
                  std::uint64_t least_operations) {
  std::vector<std::unique_ptr<Drawn>> drawn;
  for (unsigned m = 0; m < machines; ++m)
    drawn.push_back(std::make_unique<Drawn>(first + m, operations_of_a_rank));
  std::uint64_t operations = 0, switches = 0, faults = 0, corrected = 0;
  for (auto& one : drawn) {
    INFO(one->machine->name());
    operations += one->run();
    switches += one->switches;
    corrected += one->corrected;
    faults += one->machine->page_faults();
  }
  WARN(operations << " operations, " << switches << " task switches, " << faults << " page faults, "
                  << corrected << " corrected packets");
  CHECK(operations >= least_operations);
  CHECK(switches > operations / 100);
  CHECK(faults > 100);
  CHECK(corrected > operations / 1000);
}

}  // namespace

TEST_CASE("random programs of all protocols end with the memory of a sequential model") {
  run_machines(1, 16, 100, 10000);
}

TEST_CASE("a million random operations of all protocols end with the memory of a sequential model",
          "[.long]") {
  run_machines(1000, 60, 2000, 1'000'000);
}
