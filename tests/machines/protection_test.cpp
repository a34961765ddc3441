// SPDX-License-Identifier: Apache-2.0
// Pages on demand and offences of tasks on a whole machine: allowed accesses complete, and nothing else
// changes.

#include <map>

#include "machines/machines.h"
#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::test;
using host::HeapBlock;
using host::RankRuntime;
using host::Target;
using nic::Violation;

namespace {

constexpr unsigned ranks = 6, rounds = 60;
constexpr std::uint64_t area_words = 1024;  // of each sender at each receiver
constexpr std::uint64_t nowhere = 0x70000000, beyond_the_heap = host::OsTask::heap_base + (64 << 20);

std::uint64_t value_of(unsigned rank, unsigned round, std::uint64_t word) {
  return std::uint64_t{rank} << 48 | std::uint64_t{round} << 32 | (word + 1);
}

/// Operations of a rank, and the memory that it found at the end.
struct Log {
  std::map<unsigned, std::vector<std::uint64_t>> wanted;  ///< per receiver, the sender's area there
  std::map<unsigned, std::vector<std::uint64_t>> found;   ///< per sender
  std::map<Violation, unsigned> offences;                 ///< this rank's, by cause
  unsigned refused_reads = 0, wrong_reads = 0, reads = 0;
};
using Logs = std::vector<Log>;

void await_word(RankRuntime& runtime, std::uint64_t address) {
  const std::string what = "a notification";
  runtime.waiter.until([&] { return runtime.cpu.load(address) != 0; }, what, address);
  runtime.cpu.store(address, 0);
}

struct Areas {
  std::uint64_t inbox, outbox, notification, got;
};

void put(RankRuntime& runtime, CounterRandom& random, const Areas& areas, unsigned round, Log& log) {
  const auto to = static_cast<unsigned>(random.below(ranks));
  const std::uint64_t count = 1 + random.below(200), first = random.below(area_words - count);
  auto& wanted = log.wanted[to];
  wanted.resize(area_words);
  for (std::uint64_t w = 0; w < count; ++w) {
    const std::uint64_t value = value_of(runtime.rank(), round, w);
    runtime.cpu.store(areas.outbox + 8 * w, value);
    wanted[first + w] = value;
  }
  const std::uint64_t at = areas.inbox + 8 * (runtime.rank() * area_words + first);
  runtime.paralib.put(Target::pe(to), areas.outbox, at, 8 * count, areas.notification);
  await_word(runtime, areas.notification);  // the outbox is written again in the next round
}

void read(RankRuntime& runtime, CounterRandom& random, const Areas& areas, bool allowed, Log& log) {
  const auto from = static_cast<unsigned>(random.below(ranks));
  const std::uint64_t source = allowed                ? areas.inbox - 8 * 16
                               : random.below(2) == 0 ? nowhere
                                                      : beyond_the_heap;
  runtime.paralib.get(from, source, areas.got, 8 * 16, 3);
  host::Paralib::Reply reply;
  const std::string what = "a reply";
  runtime.waiter.until(
      [&] {
        reply = runtime.paralib.reply(3);
        return reply.arrived;
      },
      what, runtime.paralib.reply_address(3));
  ++log.reads;
  log.refused_reads += reply.refused ? 1 : 0;
  if (!allowed) {
    log.wrong_reads += reply.refused ? 0 : 1;
    return;
  }
  for (unsigned w = 0; w < 16; ++w)
    log.wrong_reads += runtime.cpu.load(areas.got + 8 * w) == value_of(from, 999, w) ? 0 : 1;
}

/// Performs an operation that is refused, at this node or the other one.
void offend(RankRuntime& runtime, CounterRandom& random, const Areas& areas, Log& log) {
  const Target other = Target::pe(static_cast<unsigned>(random.below(ranks)));
  switch (random.below(4)) {
    case 0:
      runtime.paralib.put(Target::pe(ranks + 5), areas.outbox, areas.inbox, 64);
      ++log.offences[Violation::destination];
      break;
    case 1:
      runtime.paralib.put(other, nowhere, areas.inbox, 4096);
      ++log.offences[Violation::segment];
      break;
    case 2:
      runtime.paralib.atomic_add(other, nowhere, 1);
      ++log.offences[Violation::segment];
      break;
    default:
      read(runtime, random, areas, false, log);
      log.offences[Violation::segment] += 1;  // at the other node
      log.offences[Violation::remote] += 1;
      break;
  }
}

void play(RankRuntime& runtime, bool offends, Log& log) {
  const HeapBlock inbox(runtime.heap, 8 * (16 + ranks * area_words)), outbox(runtime.heap, 8 * area_words);
  const HeapBlock small(runtime.heap, 8 * 64);
  const Areas areas{inbox.address() + 8 * 16, outbox.address(), small.address(), small.address() + 128};
  for (unsigned w = 0; w < 16; ++w)
    runtime.cpu.store(inbox.address() + 8 * w, value_of(runtime.rank(), 999, w));
  for (std::uint64_t w = 0; w < ranks * area_words; ++w) runtime.cpu.store(areas.inbox + 8 * w, 0);
  runtime.cpu.store(areas.notification, 0);
  runtime.collectives.barrier();
  CounterRandom random(11, runtime.rank());
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint64_t draw = random.below(10);
    if (offends && draw < 3)
      offend(runtime, random, areas, log);
    else if (draw < 5)
      read(runtime, random, areas, true, log);
    else
      put(runtime, random, areas, round, log);
  }
  // A put and a later message to one node stay in order; a barrier alone orders no puts of others.
  for (unsigned to = 0; to < ranks; ++to)
    runtime.paralib.put_word(Target::pe(to), areas.got + 8 * (20 + runtime.rank()), 1);
  for (unsigned from = 0; from < ranks; ++from) await_word(runtime, areas.got + 8 * (20 + from));
  for (unsigned from = 0; from < ranks; ++from) {
    auto& found = log.found[from];
    for (std::uint64_t w = 0; w < area_words; ++w)
      found.push_back(runtime.cpu.load(areas.inbox + 8 * (from * area_words + w)));
  }
  runtime.collectives.barrier();
}

void check_memory(const Logs& logs) {
  for (unsigned to = 0; to < ranks; ++to) {
    for (unsigned from = 0; from < ranks; ++from) {
      std::vector<std::uint64_t> wanted(area_words);
      if (const auto sent = logs[from].wanted.find(to); sent != logs[from].wanted.end())
        wanted = sent->second;
      INFO(from << " to " << to);
      CHECK(logs[to].found.at(from) == wanted);
    }
    CHECK(logs[to].wrong_reads == 0);
    CHECK(logs[to].reads > 0);
  }
}

}  // namespace

TEST_CASE("pages that are mapped on demand end with the same memory") {
  machines::Cenju4Config config = small_machine(ranks);
  config.os.paging = host::Paging::on_demand;
  Variants variants(config);
  std::vector<Logs> logs(variants.all.size(), Logs(ranks));
  for (std::size_t v = 0; v < logs.size(); ++v)
    variants.all[v].job->load([own = &logs[v]](RankRuntime& runtime) {
      return std::make_unique<Script>(runtime,
                                      [own](RankRuntime& rank) { play(rank, false, (*own)[rank.rank()]); });
    });
  for (std::size_t v = 0; v < logs.size(); ++v) {
    INFO(variants.all[v].name);
    REQUIRE_NOTHROW(variants.all[v].job->run([](Cycle) {}));
    CHECK(variants.all[v].job->end_cycle() == variants.all[0].job->end_cycle());
    check_accounts(*variants.all[v].machine);
    check_memory(logs[v]);
    CHECK(variants.all[v].machine->page_faults() > 50);
    CHECK(variants.all[v].machine->page_faults() == variants.all[0].machine->page_faults());
  }
}

TEST_CASE("offences of tasks on pages on demand change no other memory") {
  machines::Cenju4Config config = small_machine(ranks);
  config.os.paging = host::Paging::on_demand;
  config.faults.single_bit_per_flit = 0.001;
  config.faults.data_words_only = true;
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  std::map<Violation, std::uint64_t> offences;
  for (NodeId node = 0; node < ranks; ++node)
    machine.node(node).os().set_offence_handler([&](const host::OsAgent::Offence& offence) {
      CHECK(offence.cid == 1);
      offences[offence.cause] += offence.count;
    });
  Logs logs(ranks);
  job.load([&](RankRuntime& runtime) {
    return std::make_unique<Script>(runtime, [&](RankRuntime& own) { play(own, true, logs[own.rank()]); });
  });
  REQUIRE_NOTHROW(job.run([](Cycle) {}));
  check_accounts(machine);
  check_memory(logs);
  std::map<Violation, std::uint64_t> wanted;
  std::uint64_t all = 0, found = 0;
  for (const Log& log : logs)
    for (const auto& [cause, count] : log.offences) {
      wanted[cause] += count;
      all += count;
    }
  for (const auto& [cause, count] : offences) found += count;
  // Refused packets that were damaged in flight are counted separately: their sender is not known.
  std::uint64_t corrected = 0, hit = 0;
  for (NodeId node = 0; node < ranks; ++node) {
    const nic::ReceiverCounters& receiver = machine.node(node).interface().receiver_counters();
    corrected += receiver.corrected;
    hit += receiver.dropped[static_cast<unsigned>(nic::ReceiverDropCause::impossible)];
  }
  CHECK(all > 60);
  CHECK(found + hit == all);
  // Simultaneous offences of one node are reported under the first one's cause.
  CHECK(offences[Violation::destination] > 0);
  CHECK(offences[Violation::segment] > wanted[Violation::segment] / 2);
  CHECK(machine.page_faults() > 50);
  CHECK(corrected > 10);
}

TEST_CASE("an unexpected offence stops the run and names its task") {
  machines::Cenju4Config config = small_machine(2);
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  job.load([](RankRuntime& runtime) {
    return std::make_unique<Script>(runtime, [](RankRuntime& own) {
      if (own.rank() == 1) own.paralib.put(Target::pe(0), nowhere, host::OsTask::heap_base, 8192);
      own.collectives.barrier();
    });
  });
  CHECK_THROWS_WITH(job.run([](Cycle) {}),
                    Catch::Contains("os agent of node 1") &&
                        Catch::Contains("the task of cid 1 has sent from set 2: an address in no segment"));
}
