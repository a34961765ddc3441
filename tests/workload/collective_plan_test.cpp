// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/collective_plan.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/workload/trace_check.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::text_of;

namespace {

/// Contents of a rank: for each chunk, the ranks whose values are in it, each as often as it was added.
using Chunks = std::map<unsigned, std::multiset<unsigned>>;

struct Played {
  std::vector<Chunks> ranks;
  std::vector<std::uint64_t> sent_chunks;
};

/// Plays all ranks' steps: in step i all messages carry what their senders held after step i - 1.
Played play_plan(const PlannedCollective& planned, unsigned ranks, std::vector<Chunks> holds) {
  Played played{std::move(holds), std::vector<std::uint64_t>(ranks)};
  std::vector<ChunkSteps> steps;
  for (unsigned rank = 0; rank < ranks; ++rank) steps.push_back(planned.steps(rank, ranks));
  for (std::size_t at = 0; at < steps[0].size(); ++at) {
    const std::vector<Chunks> before = played.ranks;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      REQUIRE(steps[rank].size() == steps[0].size());
      const ChunkStep& step = steps[rank][at];
      played.sent_chunks[rank] += step.sent.count;
      if (step.sent.count != 0) {
        const ChunkStep& other = steps[step.to][at];
        CHECK(other.from == rank);
        CHECK(other.received == step.sent);
      }
      if (step.received.count == 0) continue;
      CHECK(steps[step.from][at].to == rank);
      for (unsigned c = step.received.first; c < step.received.first + step.received.count; ++c) {
        REQUIRE(before[step.from].count(c) == 1);
        const std::multiset<unsigned>& came = before[step.from].at(c);
        std::multiset<unsigned>& own = played.ranks[rank][c];
        if (!step.combines) own.clear();
        own.insert(came.begin(), came.end());
      }
    }
  }
  return played;
}

std::multiset<unsigned> everyone(unsigned ranks) {
  std::multiset<unsigned> all;
  for (unsigned rank = 0; rank < ranks; ++rank) all.insert(rank);
  return all;
}

/// Contents of the ranks before the first step.
std::vector<Chunks> beginning(const std::string& operation, unsigned ranks) {
  std::vector<Chunks> holds(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    for (unsigned chunk = 0; chunk < ranks; ++chunk) {
      if (operation == "all_to_all") {
        holds[rank][rank * ranks + chunk] = {rank};
      } else if (operation == "all_gather" ? chunk == rank : operation != "broadcast" || rank == 0) {
        holds[rank][chunk] = {rank};
      }
    }
  }
  return holds;
}

void check_end(const std::string& operation, unsigned ranks, const Played& played) {
  for (unsigned rank = 0; rank < ranks; ++rank) {
    INFO("rank " << rank);
    const Chunks& holds = played.ranks[rank];
    for (unsigned chunk = 0; chunk < ranks; ++chunk) {
      INFO("chunk " << chunk);
      if (operation == "all_reduce") CHECK(holds.at(chunk) == everyone(ranks));
      if (operation == "reduce_scatter" && chunk == rank) CHECK(holds.at(chunk) == everyone(ranks));
      if (operation == "all_gather") CHECK(holds.at(chunk) == std::multiset<unsigned>{chunk});
      if (operation == "broadcast") CHECK(holds.at(chunk) == std::multiset<unsigned>{0});
      if (operation == "all_to_all") CHECK(holds.at(chunk * ranks + rank) == std::multiset<unsigned>{chunk});
    }
  }
}

bool fits(const PlannedCollective& planned, unsigned ranks) {
  return !planned.powers_of_two || (ranks & (ranks - 1)) == 0;
}

CollectiveLoad load_of(const PlannedCollective& planned, std::uint64_t bytes) {
  CollectiveLoad load;
  load.collective = planned.operation;
  load.algorithm = planned.algorithm;
  load.bytes = bytes;
  return load;
}

/// Messages and bytes of a whole trace, sent and received.
struct Moved {
  std::uint64_t sent = 0, received = 0, messages = 0;
};
Moved moved_by(const Trace& trace) {
  Moved moved;
  for (const RankOps& ops : trace.ranks) {
    for (const TraceOp& op : ops) {
      if (op.kind == TraceOpKind::isend) {
        moved.sent += op.value;
        ++moved.messages;
      }
      if (op.kind == TraceOpKind::irecv) moved.received += op.value;
    }
  }
  return moved;
}

/// Operations of a rank, with every repetition.
std::vector<std::string> words_of(const RankOps& ops) {
  std::vector<std::string> words;
  for (const TraceOp& op : ops) words.push_back(workload::text_of(op));
  return words;
}

/// The operations of a rank, written step by step.
std::vector<std::string> by_steps(const CollectiveLoad& load, unsigned rank, unsigned ranks) {
  std::vector<std::string> words = {"init"};
  for (unsigned round = 0; round < load.rounds; ++round) {
    for (const ChunkStep& step : load.planned(ranks).steps(rank, ranks)) {
      const std::uint64_t in = range_bytes(load.bytes, ranks, step.received);
      const std::uint64_t out = range_bytes(load.bytes, ranks, step.sent);
      if (in != 0) words.push_back("irecv " + std::to_string(step.from) + " 0 " + std::to_string(in));
      if (out != 0) words.push_back("isend " + std::to_string(step.to) + " 0 " + std::to_string(out));
      if (in != 0 || out != 0) words.push_back("waitall " + std::to_string((in != 0) + (out != 0)));
    }
  }
  words.emplace_back("finalize");
  return words;
}

bool has(const std::string& text, const std::vector<std::string>& parts) {
  INFO(text);
  for (const std::string& part : parts) {
    CHECK(text.find(part) != std::string::npos);
    if (text.find(part) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("planned collectives: every algorithm leaves the data that its operation defines") {
  for (const PlannedCollective& planned : planned_collectives()) {
    for (const unsigned ranks : {1U, 2U, 3U, 4U, 7U, 8U, 12U, 16U, 32U}) {
      if (!fits(planned, ranks)) continue;
      INFO(planned.operation << " by " << planned.algorithm << " on " << ranks << " ranks");
      check_end(planned.operation, ranks, play_plan(planned, ranks, beginning(planned.operation, ranks)));
    }
  }
}

TEST_CASE("planned collectives: each rank sends the bytes of the algorithm's definition") {
  // Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory, practice, and experience:
  // chunks that one rank sends, of n chunks of data.
  const std::map<std::string, std::uint64_t> of_16{{"all_reduce ring", 30},
                                                   {"all_reduce halving_doubling", 30},
                                                   {"all_reduce recursive_doubling", 64},
                                                   {"reduce_scatter ring", 15},
                                                   {"reduce_scatter recursive_halving", 15},
                                                   {"all_gather ring", 15},
                                                   {"all_gather recursive_doubling", 15},
                                                   {"all_to_all staggered", 15},
                                                   {"all_to_all pairwise", 15}};
  unsigned seen = 0;
  for (const PlannedCollective& planned : planned_collectives()) {
    const auto expected = of_16.find(std::string(planned.operation) + " " + planned.algorithm);
    if (expected == of_16.end()) continue;
    ++seen;
    const Played played = play_plan(planned, 16, beginning(planned.operation, 16));
    for (const std::uint64_t sent : played.sent_chunks) CHECK(sent == expected->second);
  }
  CHECK(seen == of_16.size());
}

TEST_CASE("planned collectives: a double tree moves half of the data on each tree, at full bandwidth") {
  const auto planned =
      *std::find_if(planned_collectives().begin(), planned_collectives().end(),
                    [](const PlannedCollective& one) { return std::string(one.algorithm) == "double_tree"; });
  for (const unsigned ranks : {2U, 3U, 6U, 13U, 14U, 64U, 257U}) {
    INFO(ranks << " ranks");
    unsigned levels = 0;
    while (1U << levels < ranks) ++levels;
    std::map<unsigned, std::set<std::pair<unsigned, unsigned>>> links;  // [tree]: (from, to)
    std::uint64_t all = 0, most = 0;
    bool ends_with_a_chunk = false;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      const ChunkSteps steps = planned.steps(rank, ranks);
      ends_with_a_chunk = ends_with_a_chunk || steps.back().sent.count != 0;
      // A chunk of each tree in two steps, and two steps a level to fill each pipeline.
      CHECK(steps.size() <= 2 * (ranks + 1 + 2 * levels));
      std::uint64_t sent = 0;
      for (const ChunkStep& step : steps) {
        CHECK(step.sent.count <= 1);
        CHECK(step.received.count <= 1);
        sent += step.sent.count;
        if (step.sent.count != 0) links[step.sent.first % 2].insert({rank, step.to});
      }
      all += sent;
      most = std::max(most, sent);
    }
    CHECK(ends_with_a_chunk);
    CHECK(all == std::uint64_t{2} * (ranks - 1) * ranks);
    CHECK(most <= 2 * ranks + ranks % 2);  // of an odd number, one rank is an inner one of both trees
    // Each tree has ranks - 1 links, up and down.
    for (unsigned tree = 0; tree < 2; ++tree) {
      CHECK(links[tree].size() == 2 * (ranks - 1));
      for (const auto& [from, to] : links[tree]) CHECK(links[tree].count({to, from}) == 1);
    }
  }
  // The pictures of NCCL's ncclGetDtree.
  const auto is_linked = [&](unsigned ranks, unsigned tree, unsigned from, unsigned to) {
    for (const ChunkStep& step : planned.steps(from, ranks))
      if (step.sent.count != 0 && step.sent.first % 2 == tree && step.to == to) return true;
    return false;
  };
  for (const auto& [child, parent] : {std::pair<unsigned, unsigned>{8, 0},
                                      {4, 8},
                                      {10, 8},
                                      {2, 4},
                                      {6, 4},
                                      {1, 2},
                                      {3, 2},
                                      {9, 10},
                                      {11, 10}})
    CHECK(is_linked(12, 0, child, parent));
  for (const auto& [child, parent] : {std::pair<unsigned, unsigned>{3, 11},
                                      {7, 3},
                                      {1, 3},
                                      {5, 7},
                                      {9, 7},
                                      {0, 1},
                                      {2, 1},
                                      {4, 5},
                                      {10, 9}})
    CHECK(is_linked(12, 1, child, parent));
  for (const auto& [child, parent] :
       {std::pair<unsigned, unsigned>{9, 1}, {5, 9}, {0, 9}, {3, 5}, {7, 5}, {11, 0}, {12, 11}})
    CHECK(is_linked(13, 1, child, parent));
}

TEST_CASE("planned collectives: the root of a broadcast sends the data once a level, or once and a ring") {
  for (const PlannedCollective& planned : planned_collectives()) {
    if (std::string(planned.operation) != "broadcast") continue;
    const Played played = play_plan(planned, 16, beginning("broadcast", 16));
    CHECK(played.sent_chunks[0] == (std::string(planned.algorithm) == "binomial" ? 4 * 16 : 15 + 15));
    CHECK(played.sent_chunks[15] == (std::string(planned.algorithm) == "binomial" ? 0 : 15));
  }
}

TEST_CASE("planned collectives: chunks are as equal as possible, and all together the data") {
  for (const std::uint64_t bytes : {1U, 7U, 8U, 9U, 1000U}) {
    std::uint64_t sum = 0;
    for (std::uint32_t chunk = 0; chunk < 8; ++chunk) {
      const std::uint64_t one = chunk_bytes(bytes, 8, chunk);
      CHECK((one == bytes / 8 || one == bytes / 8 + 1));
      sum += one;
    }
    CHECK(sum == bytes);
    CHECK(range_bytes(bytes, 8, {0, 8}) == bytes);
    CHECK(range_bytes(bytes, 8, {2, 3}) ==
          chunk_bytes(bytes, 8, 2) + chunk_bytes(bytes, 8, 3) + chunk_bytes(bytes, 8, 4));
  }
}

TEST_CASE("planned collectives: a trace has the messages of the plan, as often as there are rounds") {
  for (const PlannedCollective& planned : planned_collectives()) {
    INFO(planned.operation << " by " << planned.algorithm);
    CollectiveLoad load = load_of(planned, 8000);
    const Trace once = make_collective_trace(load, 8);
    check_ranks(once);
    const Moved moved = moved_by(once);
    std::uint64_t chunks = 0;
    for (const std::uint64_t sent : play_plan(planned, 8, beginning(planned.operation, 8)).sent_chunks)
      chunks += sent;
    CHECK(moved.sent == chunks * 1000);
    CHECK(moved.received == moved.sent);
    load.rounds = 3;
    const Trace thrice = make_collective_trace(load, 8);
    check_ranks(thrice);
    CHECK(moved_by(thrice).messages == 3 * moved.messages);
  }
}

TEST_CASE("planned collectives: a part without a byte is no message") {
  for (const PlannedCollective& planned : planned_collectives()) {
    INFO(planned.operation << " by " << planned.algorithm);
    const Trace trace = make_collective_trace(load_of(planned, 3), 8);
    check_ranks(trace);
    for (const RankOps& ops : trace.ranks)
      for (const TraceOp& op : ops)
        if (op.kind == TraceOpKind::isend || op.kind == TraceOpKind::irecv) CHECK(op.value > 0);
  }
  CHECK(moved_by(make_collective_trace(load_of(planned_collectives().front(), 3), 8)).messages == 2 * 7 * 3);
}

TEST_CASE("planned collectives: bus bandwidth is algorithm bandwidth times the data that must cross a link") {
  CHECK(bus_factor("all_reduce", 4) == 1.5);
  CHECK(bus_factor("all_gather", 4) == 0.75);
  CHECK(bus_factor("reduce_scatter", 4) == 0.75);
  CHECK(bus_factor("all_to_all", 8) == 0.875);
  CHECK(bus_factor("broadcast", 4) == 1);
}

TEST_CASE("planned collectives: unknown algorithms and numbers of ranks are refused") {
  CollectiveLoad load;
  CHECK(std::string(load.planned(6).algorithm) == "ring");
  load.algorithm = "halving_doubling";
  CHECK(std::string(load.planned(8).algorithm) == "halving_doubling");
  CHECK(has(text_of<ConfigError>([&] { load.planned(6); }),
            {"a power of two of ranks, and there are 6 (got 'halving_doubling')",
             "ring halving_doubling recursive_doubling binomial"}));
  load.algorithm = "staggered";
  CHECK(has(text_of<ConfigError>([&] { load.planned(8); }),
            {"unknown algorithm of all_reduce (got 'staggered')", "ring halving_doubling"}));
}

TEST_CASE("planned collectives: a ring of thousands of ranks stores one of its equal steps") {
  CollectiveLoad load;
  load.bytes = 4096 * 8;
  const Trace trace = make_collective_trace(load, 4096);
  const RankOps& ops = trace.ranks[17];
  CHECK(ops.stored().size() == 5);  // init, irecv, isend, waitall, finalize
  CHECK(ops.size() == 2 + 3 * 2 * 4095);
  check_ranks(trace);
  CHECK(count_of(trace).message_bytes == std::uint64_t{2} * 4095 * 4096 * 8);
}

TEST_CASE("planned collectives: a trace is that of its steps one by one, however the data divide") {
  std::mt19937 random(11);
  for (const PlannedCollective& planned : planned_collectives()) {
    for (unsigned run = 0; run < 25; ++run) {
      const unsigned ranks = planned.powers_of_two ? 1U << (random() % 6) : 1 + random() % 40;
      CollectiveLoad load = load_of(planned, random() % (3 * ranks + 1));
      load.rounds = 1 + random() % 3;
      INFO(planned.operation << " by " << planned.algorithm << ", ranks " << ranks << ", bytes "
                             << load.bytes);
      const Trace trace = make_collective_trace(load, ranks);
      check_ranks(trace);
      for (unsigned rank = 0; rank < ranks; ++rank)
        REQUIRE(words_of(trace.ranks[rank]) == by_steps(load, rank, ranks));
    }
  }
}

TEST_CASE(
    "planned collectives: a ring with unequal chunks takes the memory of a few steps, whatever its ranks") {
  CollectiveLoad load;
  load.rounds = 1000;
  for (const char* operation : {"all_reduce", "reduce_scatter", "all_gather"}) {
    load.collective = operation;
    for (const std::uint64_t bytes : {4096U * 8 + 1, 4096U * 8 + 4095, 4095U, 17U}) {
      load.bytes = bytes;
      INFO(operation << ", " << bytes << " bytes");
      const Trace trace = make_collective_trace(load, 4096);
      std::size_t stored = 0, most = 0;
      for (const RankOps& ops : trace.ranks) {
        const std::size_t held = ops.stored().capacity() * sizeof(TraceOp) +
                                 ops.repetitions().levels().capacity() * sizeof(Repetition);
        stored += held;
        most = std::max(most, held);
      }
      CHECK(most <= 1200);
      CHECK(stored <= std::size_t{4096} * 1200);  // step by step: 1.6 GB for one round
      check_ranks(trace);
      const std::uint64_t passes = std::string(operation) == "all_reduce" ? 2 : 1;
      CHECK(count_of(trace).message_bytes == 1000 * passes * 4095 * bytes);
    }
  }
}

TEST_CASE("planned collectives: the model follows the longest chunk round the ring") {
  CollectiveLoad load;
  load.bytes = 4;  // chunks of 2, 1 and 1 bytes
  MessageTimes times;
  times.arrives = [](std::uint32_t, std::uint32_t, std::uint64_t bytes) { return 100 * bytes; };
  times.occupies = [](std::uint64_t) { return Cycle{0}; };
  times.eager_bytes = 100;
  CHECK(uncontended_cycles(load, 3, times) == 4 * 200);
  load.bytes = 9;
  CHECK(uncontended_cycles(load, 3, times) == 4 * 300);
  load.bytes = 11;  // 4, 4 and 3
  CHECK(uncontended_cycles(load, 3, times) == 4 * 400);
}
