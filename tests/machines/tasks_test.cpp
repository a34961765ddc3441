// SPDX-License-Identifier: Apache-2.0
// Several parallel jobs on one machine: on different nodes, and on shared nodes in turn.

#include <algorithm>
#include <memory>
#include <numeric>

#include "machines/machines.h"
#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::test;
using host::Block;
using host::HeapBlock;
using host::RankRuntime;
using host::Target;

namespace {

using Words = std::vector<std::uint64_t>;
constexpr unsigned words = 96;

/// A rank's rounds, drawn from a seed that all ranks of its job share. Their final words do not depend on the
/// rest of the machine.
class MixedWork {
 public:
  MixedWork(RankRuntime& runtime, std::uint64_t seed, unsigned rounds)
      : r_(runtime),
        random_(seed, 1),
        rounds_(rounds),
        data_(runtime.heap, 8 * words),
        in_(runtime.heap, 8 * words),
        cell_(runtime.heap, 8) {}

  Words play() {
    CounterRandom own(random_.next(), r_.rank());
    for (unsigned w = 0; w < words; ++w) r_.cpu.store(data_.address() + 8 * w, own.next());
    r_.cpu.store(cell_.address(), r_.rank());
    r_.collectives.barrier();
    for (round_ = 0; round_ < rounds_; ++round_) {
      r_.cpu.compute(own.below(2000));
      step();
    }
    Words end(words + 1);
    for (unsigned w = 0; w < words; ++w) end[w] = r_.cpu.load(data_.address() + 8 * w);
    end[words] = r_.cpu.load(cell_.address());
    return end;
  }

 private:
  std::uint32_t ranks() const { return r_.ranks(); }
  void add_in(std::uint64_t bytes) {
    for (std::uint64_t at = 0; at < bytes; at += 8)
      r_.cpu.store(data_.address() + at,
                   r_.cpu.load(data_.address() + at) + 3 * r_.cpu.load(in_.address() + at));
  }
  void step() {
    const auto kind = random_.below(6);
    const auto shift = static_cast<std::uint32_t>(random_.below(ranks()));
    const std::uint64_t bytes = 8 * (1 + random_.below(words));
    const std::uint32_t to = (r_.rank() + shift) % ranks(), from = (r_.rank() + ranks() - shift) % ranks();
    switch (kind) {
      case 0: {
        const auto receive = r_.messages.irecv({from, static_cast<std::int32_t>(round_), host::Context::user},
                                               in_.address(), 8 * words);
        r_.messages.send(to, static_cast<std::int32_t>(round_), data_.address(), bytes);
        r_.messages.wait(receive);
        return add_in(bytes);
      }
      case 1:
        r_.collectives.all_reduce({data_.address(), bytes}, in_.address());
        return add_in(bytes);
      case 2:
        r_.collectives.broadcast({r_.rank() == shift ? data_.address() : in_.address(), bytes}, shift);
        if (r_.rank() != shift) add_in(bytes);
        return;
      case 3: {
        // A message to oneself is a copy, which overtakes a put through the network.
        const std::uint32_t other = shift == 0 ? (r_.rank() + 1) % ranks() : to;
        r_.collectives.barrier();  // no rank adds to the previous round's words any more
        r_.paralib.put(Target::pe(other), data_.address(), in_.address(), bytes, sent());
        await_sent();
        barrier_behind_puts(other);
        add_in(bytes);
        return r_.collectives.barrier();
      }
      case 4:
        r_.paralib.atomic_add(Target::pe(to), cell_.address(), round_ + 1);
        return r_.collectives.barrier();
      default:
        r_.collectives.barrier();
        r_.paralib.get(from, data_.address(), in_.address(), static_cast<std::uint32_t>(bytes), 9);
        r_.waiter.until([&] { return r_.paralib.reply(9).arrived; }, "a reply", r_.paralib.reply_address(9));
        r_.collectives.barrier();
        return add_in(bytes);
    }
  }
  std::uint64_t sent() {
    r_.cpu.store(word_.address(), 0);
    return word_.address();
  }
  void await_sent() {
    r_.waiter.until([&] { return r_.cpu.load(word_.address()) != 0; }, "a put", word_.address());
  }
  /// A message to the put's node arrives after the put.
  void barrier_behind_puts(std::uint32_t to) {
    r_.messages.send(to, 1000000, cell_.address(), 0);
    r_.messages.receive({host::any_source, 1000000, host::Context::user}, cell_.address(), 0);
  }

  RankRuntime& r_;
  CounterRandom random_;
  const unsigned rounds_;
  unsigned round_ = 0;
  const HeapBlock data_, in_, cell_;
  const HeapBlock word_{r_.heap, 8};
};

/// A machine with jobs of mixed work, each with its own seed.
class Jobs {
 public:
  Jobs(const std::string& name, machines::Cenju4Config config, std::vector<machines::JobPlacement> placements,
       std::vector<std::uint64_t> seeds, unsigned rounds) {
    config.jobs = std::move(placements);
    config.resolve();
    config.validate();
    machine = std::make_unique<machines::Cenju4Machine>(name.c_str(), config);
    for (unsigned number = 0; number < config.jobs.size(); ++number) {
      jobs.push_back(std::make_unique<platform::Cenju4Job>(*machine, number));
      ends.push_back(std::make_unique<std::vector<Words>>(jobs.back()->ranks()));
      auto* end = ends.back().get();
      const std::uint64_t seed = seeds[number];
      jobs.back()->load([=](RankRuntime& runtime) {
        return std::make_unique<Script>(
            runtime, [=](RankRuntime& own) { (*end)[own.rank()] = MixedWork(own, seed, rounds).play(); });
      });
    }
  }
  void run() {
    jobs[0]->run([](Cycle) {});
    for (auto& job : jobs) job->ran();
    check_accounts(*machine);
  }
  std::uint64_t switches() const {
    std::uint64_t sum = 0;
    for (NodeId node = 0; node < machine->nodes(); ++node)
      sum += machine->node(node).processor().counters().task_switches;
    return sum;
  }

  std::unique_ptr<machines::Cenju4Machine> machine;
  std::vector<std::unique_ptr<platform::Cenju4Job>> jobs;
  std::vector<std::unique_ptr<std::vector<Words>>> ends;
};

machines::Cenju4Config shared_machine(unsigned nodes) {
  machines::Cenju4Config config = small_machine(nodes);
  config.time_slice_us = 40;
  config.task_switch_ns = 500;
  config.processor.interrupt_ns = 500;
  return config;
}

/// Runs the jobs together, in four variants of the machine, and each alone: equal memory, equal cycles.
void together_and_alone(const machines::Cenju4Config& config,
                        const std::vector<machines::JobPlacement>& placements, std::uint64_t least_switches) {
  constexpr unsigned rounds = 200;
  std::vector<std::uint64_t> seeds(placements.size());
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{100});
  std::vector<std::unique_ptr<Jobs>> alone, together;
  for (std::size_t job = 0; job < placements.size(); ++job)
    alone.push_back(std::make_unique<Jobs>("alone" + std::to_string(job), config,
                                           std::vector<machines::JobPlacement>{placements[job]},
                                           std::vector<std::uint64_t>{seeds[job]}, rounds));
  const auto add = [&](const std::string& name, auto change) {
    machines::Cenju4Config own = config;
    change(own);
    together.push_back(std::make_unique<Jobs>(name, own, placements, seeds, rounds));
  };
  add("events", [](machines::Cenju4Config&) {});
  add("process_each", [](machines::Cenju4Config& c) { c.process_mode = ProcessMode::process_each; });
  add("shuffled", [](machines::Cenju4Config& c) { c.shuffle_seed = 31; });
  add("other_slices", [](machines::Cenju4Config& c) { c.time_slice_us = 23.7; });
  for (auto& one : together) one->run();
  for (auto& one : alone) one->run();
  for (auto& one : together) {
    CHECK(one->switches() >= least_switches);
    for (std::size_t job = 0; job < placements.size(); ++job) {
      CHECK(*one->ends[job] == *alone[job]->ends[0]);
      if (one != together.back()) CHECK(one->jobs[job]->end_cycle() == together[0]->jobs[job]->end_cycle());
    }
  }
}

}  // namespace

TEST_CASE("two jobs on different nodes end with the memory of each alone, and idle nodes are idle") {
  together_and_alone(shared_machine(8), {{0, 3, 5, 6}, {4, 2, 1}}, 0);
}

TEST_CASE("two jobs that share some nodes end with the memory of each alone") {
  together_and_alone(shared_machine(8), {{0, 1, 2, 3}, {6, 5, 3, 2, 4}}, 200);
}

TEST_CASE("four jobs on the same nodes exchange the Sender's sets and end with the memory of each alone") {
  together_and_alone(shared_machine(4), {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3}, {2, 3}}, 2000);
}

TEST_CASE("a job's memory does not depend on its nodes or its machine") {
  const unsigned rounds = 100;
  const auto on = [=](unsigned nodes, const machines::JobPlacement& placement) {
    return std::make_unique<Jobs>("machine" + std::to_string(nodes), shared_machine(nodes),
                                  std::vector<machines::JobPlacement>{placement},
                                  std::vector<std::uint64_t>{7}, rounds);
  };
  const auto small = on(5, {0, 1, 2, 3, 4});
  // More than 64 nodes: no synchronization packets, and multicasts of two groups.
  const auto large = on(130, {63, 64, 5, 129, 62});
  small->run();
  large->run();
  CHECK(*small->ends[0] == *large->ends[0]);
}

TEST_CASE("groups made one after another reuse the sids and table entries of released ones") {
  machines::Cenju4Config config = small_machine(6);
  config.os.synchronization_entries = 2;  // the library's group of all ranks, and one more
  config.os.multicast_entries = 2;
  std::vector<unsigned> rounds_seen(6), wrong(6);
  const auto part = [&](RankRuntime& own) {
    CounterRandom random(12, 1);
    const HeapBlock counter(own.heap, 8);
    own.cpu.store(counter.address(), 0);
    std::uint64_t adds = 0;
    for (unsigned round = 0; round < 300; ++round) {
      own.collectives.barrier();
      std::vector<std::uint32_t> members;
      while (members.size() < 2) {
        members.clear();
        for (std::uint32_t rank = 0; rank < 6; ++rank)
          if (random.below(2) == 0) members.push_back(rank);
      }
      if (std::find(members.begin(), members.end(), own.rank()) == members.end()) continue;
      const host::GroupHandle group = own.paralib.register_group(members);
      wrong[own.rank()] += group.sid == 1 && group.synchronization == 1 ? 0 : 1;
      const std::uint64_t before = own.paralib.synchronization_count(group.sid);
      for (unsigned meeting = 1; meeting <= 3; ++meeting) {
        own.paralib.synchronize(group);
        own.waiter.until([&] { return own.paralib.synchronization_count(group.sid) >= before + meeting; },
                         "a meeting", own.paralib.synchronization_address(group.sid));
      }
      for (const std::uint16_t offset : group.multicast)
        own.paralib.atomic_add(Target::group(offset), counter.address(), 1);
      adds += members.size();
      own.waiter.until([&] { return own.cpu.load(counter.address()) >= adds; }, "adds", counter.address());
      own.paralib.release_group(members, group);
      ++rounds_seen[own.rank()];
    }
  };
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  run_script(job, part);
  for (unsigned rank = 0; rank < 6; ++rank) {
    CHECK(rounds_seen[rank] > 129);
    CHECK(wrong[rank] == 0);
  }
}
