// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/trace_check.h"

#include <random>

#include "support/catch.h"
#include "support/text_file.h"
#include "workload/npb_traces.h"
#include "workload/rank_executor.h"
#include "workload/trace_op.h"

using namespace tsuji;
using namespace tsuji::workload;
using Catch::Contains;
using Catch::Equals;
using Catch::StartsWith;
using tsuji::test::op;
using tsuji::test::refusal;
using tsuji::test::TextFile;
using Kind = TraceOpKind;

namespace {

/// One list of lines for each rank, between its init and its finalize.
using Programs = std::vector<std::vector<std::string>>;

std::string text_of(const Programs& programs) {
  std::string text;
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    const std::string own = std::to_string(rank) + " ";
    text += own + "init\n";
    for (const std::string& line : programs[rank]) text += (line[0] == '#' ? "" : own) + line + "\n";
    text += own + "finalize\n";
  }
  return text;
}

/// The refusal of a trace, with "T" instead of its file's name; empty: all ranks agree.
std::string refused(const Programs& programs) {
  const TextFile file(text_of(programs));
  std::string text = refusal([&] { check_ranks(read_trace(file.path())); });
  for (std::size_t at = text.find(file.path()); at != std::string::npos; at = text.find(file.path()))
    text.replace(at, file.path().size(), "T");
  return text;
}

/// Repeats `length` operations from `first` on `times` times.
RankOps folded(const std::vector<TraceOp>& stored, std::size_t first, std::size_t length,
               std::uint64_t times) {
  RankOps ops;
  for (std::size_t at = 0; at < stored.size(); ++at) {
    ops.push_back(stored[at]);
    if (length > 0 && at + 1 == first + length) ops.repeat_from(first, times);
  }
  return ops;
}

/// `body` repeated `times` times between `before` and `behind`.
RankOps repeated(const std::vector<TraceOp>& before, const std::vector<TraceOp>& body, std::uint64_t times,
                 const std::vector<TraceOp>& behind) {
  std::vector<TraceOp> all = before;
  all.insert(all.end(), body.begin(), body.end());
  all.insert(all.end(), behind.begin(), behind.end());
  return folded(all, before.size(), body.size(), times);
}

std::string refused_in_memory(std::vector<RankOps> ranks) {
  Trace trace;
  trace.key = "workload.npb";
  trace.ranks = std::move(ranks);
  return refusal([&] { check_ranks(trace); });
}

/// The operations with every repetition written out.
RankOps written_out(const RankOps& ops) {
  std::vector<TraceOp> all;
  for (const TraceOp& each : ops) all.push_back(each);
  return {all};
}

}  // namespace

TEST_CASE("ranks that agree are accepted, in any order of each rank's operations that belong together") {
  CHECK(refused({{}, {}}).empty());
  CHECK(refused({{"send 1 0 8 6", "send 1 1 9 6", "send 1 0 10 6"},
                 {"recv 0 1 9 6", "recv 0 0 8 6", "recv 0 0 10 6"}})
            .empty());
  CHECK(refused({{"isend 0 3 8 6", "irecv 0 3 8 6", "waitall 2"}}).empty());
  CHECK(refused({{"barrier", "isend 1 0 8 6", "bcast 4 1 6", "wait 0 1 0"},
                 {"irecv 0 0 8 6", "barrier", "bcast 4 1 6", "waitall 1"}})
            .empty());
  CHECK(refused({{"alltoallv 5 2 3 11 2 9 6 6", "alltoall 4 4 6 6"},
                 {"alltoallv 10 9 1 4 3 1 6 6", "alltoall 4 4 6 6"}})
            .empty());
  // Ranks that deadlock agree nevertheless.
  CHECK(refused({{"recv 1 0 8 6", "send 1 0 8 6"}, {"recv 0 0 8 6", "send 0 0 8 6"}}).empty());
}

TEST_CASE("a message may be shorter than its receive and not longer") {
  CHECK(refused({{"send 1 0 100 6"}, {"recv 0 0 200 6"}}).empty());
  CHECK(refused({{"send 1 0 0 6"}, {"recv 0 0 0 6"}}).empty());
  CHECK_THAT(refused({{"send 1 0 200 6"}, {"recv 0 0 100 6"}}),
             Equals("T:5: workload.trace: rank 1 receives fewer bytes than the message has, send 1 0 200 "
                    "(T:2) of rank 0 "
                    "(got '100'); accepted: at least 200, as rank 0 sends"));
  // The second message of its tag, with other operations in between.
  CHECK_THAT(refused({{"send 1 0 8 6", "isend 1 1 9 6", "isend 1 0 9 6", "waitall 2"},
                      {"irecv 0 0 8 6", "irecv 0 0 8 6", "irecv 0 1 9 6", "waitall 3"}}),
             StartsWith("T:9: workload.trace: rank 1 receives fewer bytes than the message has, isend 1 0 9 "
                        "(T:4) of rank 0 (got '8')"));
}

TEST_CASE("a send without receive and a receive without send name both ranks and lines") {
  CHECK_THAT(refused({{"send 1 0 8 6"}, {}}),
             Equals("T:2: workload.trace: rank 0 sends a message that rank 1 does not receive: 1 sends "
                    "against 0 with tag 0 "
                    "(got 'send 1 0 8'); accepted: as many receives of rank 1, up to its finalize (T:5)"));
  CHECK_THAT(refused({{}, {"irecv 0 7 8 6", "waitall 1"}}),
             Equals("T:4: workload.trace: rank 1 receives a message that rank 0 does not send: 1 receives "
                    "against 0 with tag 7 "
                    "(got 'irecv 0 7 8'); accepted: as many sends of rank 0, up to its finalize (T:2)"));
  // The first surplus message of a tag.
  CHECK_THAT(refused({{"send 1 4 8 6", "send 1 4 8 6", "send 1 4 8 6"}, {"recv 0 4 8 6"}}),
             StartsWith("T:3: ") && Contains("3 sends against 1 with tag 4 (got"));
  CHECK_THAT(refused({{"send 1 4 8 6"}, {"recv 0 4 8 6", "recv 0 4 9 6", "recv 0 4 9 6"}}),
             StartsWith("T:6: ") && Contains("3 receives against 1 with tag 4 (got 'recv 0 4 9')"));
  // A message to the rank itself.
  CHECK_THAT(refused({{"isend 0 1 8 6", "waitall 1"}}),
             Contains("rank 0 sends a message that rank 0 does not receive"));
  // Each position in the order of ranks and tags: before, between and after matching messages.
  CHECK_THAT(refused({{"recv 1 1 8 6"}, {"recv 2 5 8 6", "recv 2 6 8 6", "send 0 1 8 6"}, {"send 1 6 8 6"}}),
             StartsWith("T:5: ") && Contains("rank 1 receives a message that rank 2 does not send"));
  CHECK_THAT(refused({{"recv 1 1 8 6"}, {"recv 2 6 8 6", "recv 2 7 8 6", "send 0 1 8 6"}, {"send 1 6 8 6"}}),
             StartsWith("T:6: ") && Contains("1 receives against 0 with tag 7"));
  CHECK_THAT(refused({{"send 2 0 8 6"}, {"send 2 0 8 6"}, {"recv 1 0 8 6"}}),
             StartsWith("T:2: ") && Contains("rank 0 sends a message that rank 2 does not receive"));
  CHECK_THAT(refused({{"send 2 0 8 6"}, {"send 2 0 8 6"}, {"recv 0 0 8 6"}}),
             StartsWith("T:5: ") && Contains("rank 1 sends a message that rank 2 does not receive"));
}

TEST_CASE("another tag of the same two ranks is shown") {
  CHECK_THAT(
      refused({{"send 1 5 8 6"}, {"recv 0 6 8 6"}}),
      StartsWith("T:2: ") && Contains("1 sends against 0 with tag 5; rank 1 has recv 0 6 8 (T:5) (got"));
  CHECK_THAT(
      refused({{"send 1 7 8 6"}, {"recv 0 6 8 6"}}),
      StartsWith("T:5: ") && Contains("1 receives against 0 with tag 6; rank 0 has send 1 7 8 (T:2) (got"));
  CHECK_THAT(refused({{"send 1 7 8 6"}, {}}), !Contains("has "));
}

TEST_CASE("collectives that differ name both ranks and lines") {
  CHECK_THAT(
      refused({{"bcast 100 0 6"}, {"bcast 200 0 6"}}),
      Equals("T:5: workload.trace: collective operation 1 of rank 1 is not that of rank 0, bcast 100, root 0 "
             "(T:2) "
             "(got 'bcast 200, root 0'); accepted: bcast 100, root 0, or the same change in all ranks"));
  CHECK_THAT(
      refused(
          {{"barrier", "allreduce 8 0 6"}, {"barrier", "allreduce 8 0 6"}, {"allreduce 8 0 6", "barrier"}}),
      StartsWith(
          "T:10: workload.trace: collective operation 1 of rank 2 is not that of rank 0, barrier (T:2)"));
  CHECK_THAT(refused({{"barrier", "bcast 8 0 6"}, {"barrier", "bcast 8 1 6"}}),
             StartsWith("T:7: workload.trace: collective operation 2 ") &&
                 Contains("bcast 8, root 0 (T:3) (got 'bcast 8, root 1')"));
  CHECK_THAT(refused({{"reduce 8 0 0 6"}, {"reduce 8 0 1 6"}}), Contains("(got 'reduce 8, root 1')"));
  CHECK_THAT(refused({{"reduce 8 0 0 6"}, {"allreduce 8 0 6"}}), Contains("(got 'allreduce 8')"));
  CHECK_THAT(refused({{"alltoall 8 8 6 6"}, {"alltoall 9 9 6 6"}}), Contains("(got 'alltoall 9')"));
  CHECK_THAT(refused({{"alltoall 8 8 6 6"}, {"alltoallv 16 8 8 16 8 8 6 6"}}), Contains("(got 'alltoallv')"));
  // A rank with fewer collectives is at its end there.
  CHECK_THAT(refused({{"barrier", "barrier"}, {"barrier"}}),
             StartsWith("T:7: ") && Contains("of rank 0, barrier (T:3) (got 'finalize')"));
  CHECK_THAT(refused({{"barrier"}, {"barrier", "barrier"}}),
             StartsWith("T:6: ") && Contains("of rank 0, finalize (T:3) (got 'barrier')"));
}

TEST_CASE("counts of an alltoallv are those of the other ranks") {
  CHECK_THAT(refused({{"alltoallv 5 2 3 11 2 9 6 6"}, {"alltoallv 10 9 1 5 4 1 6 6"}}),
             Equals("T:5: workload.trace: rank 1 receives other bytes from rank 0 than that sends to it in "
                    "its alltoallv (T:2) "
                    "(got '4'); accepted: 3, as rank 0 sends"));
  CHECK_THAT(refused({{"alltoallv 5 2 3 10 2 8 6 6"}, {"alltoallv 10 9 1 4 3 1 6 6"}}),
             StartsWith("T:2: ") && Contains("rank 0 receives other bytes from rank 1") &&
                 Contains("(T:5) (got '8'); accepted: 9"));
  // For the rank itself, and in the second of two.
  CHECK_THAT(refused({{"alltoallv 5 2 3 10 1 9 6 6"}, {"alltoallv 10 9 1 4 3 1 6 6"}}),
             Contains("rank 0 receives other bytes from rank 0"));
  CHECK_THAT(refused({{"alltoallv 2 1 1 2 1 1 6 6", "barrier", "alltoallv 5 2 3 11 2 9 6 6"},
                      {"alltoallv 2 1 1 2 1 1 6 6", "barrier", "alltoallv 10 9 1 5 4 1 6 6"}}),
             StartsWith("T:9: ") && Contains("(T:4)"));
}

TEST_CASE("reported lines are those of the file, with comments and marks") {
  CHECK_THAT(
      refused({{"# a comment", "# roi_begin", "compute 7", "# more", "#", "send 1 0 200 6", "# roi_end"},
               {"# roi_begin", "# more", "recv 0 0 100 6", "# roi_end"}}),
      StartsWith("T:13: ") && Contains("(T:7)"));
  const TextFile file("# head\n0 init\n# roi_begin\n0 compute 1\n0 finalize\n\n1 init\n");
  CHECK_THAT(refusal([&] { read_trace(file.path()); }), Contains(":6:"));
}

TEST_CASE("a trace without a file names rank and operation") {
  CHECK_THAT(refused_in_memory({RankOps({op(Kind::init), op(Kind::bcast, 8)}),
                                RankOps({op(Kind::init), op(Kind::bcast, 9)})}),
             Equals("workload.npb: operation 1 of rank 1: collective operation 1 of rank 1 is not that of "
                    "rank 0, bcast 8, root 0 "
                    "(operation 1 of rank 0) (got 'bcast 9, root 0'); accepted: bcast 8, root 0, or the same "
                    "change in all ranks"));
  // Without a finalize, which would be the first difference.
  CHECK_THAT(
      refused_in_memory({RankOps({op(Kind::barrier)}), RankOps({op(Kind::init)})}),
      Contains(
          "operation 0 of rank 0: rank 0 has collective operation 1, and rank 1 has none (got 'barrier')"));
  CHECK_THAT(
      refused_in_memory({RankOps({op(Kind::init)}), RankOps({op(Kind::barrier)})}),
      Contains(
          "operation 0 of rank 1: rank 1 has collective operation 1, and rank 0 has none (got 'barrier')"));
  CHECK_THAT(refused_in_memory({RankOps({op(Kind::send, 8, 1)}), RankOps()}),
             Contains("as many receives of rank 1"));
}

TEST_CASE("a repeated stretch is checked in every repetition, and the one that differs is reported") {
  const std::vector<TraceOp> begin = {op(Kind::init)}, end = {op(Kind::finalize)};
  const RankOps sends = repeated(begin, {op(Kind::send, 8, 1, 0), op(Kind::barrier)}, 1000, end);
  CHECK(refused_in_memory({sends, repeated(begin, {op(Kind::recv, 8, 0, 0), op(Kind::barrier)}, 1000, end)})
            .empty());
  // An equal program with the step's parts elsewhere in its order.
  const std::vector<TraceOp> first_receive = {op(Kind::init), op(Kind::recv, 8, 0, 0)};
  CHECK(refused_in_memory({sends, repeated(first_receive, {op(Kind::barrier), op(Kind::recv, 8, 0, 0)}, 999,
                                           {op(Kind::barrier), op(Kind::finalize)})})
            .empty());
  // Steps of another length, and repetitions of one side only.
  CHECK(refused_in_memory({repeated(begin, {op(Kind::send, 8, 1, 0)}, 6, end),
                           repeated(begin, {op(Kind::recv, 8, 0, 0), op(Kind::recv, 8, 0, 0)}, 3, end)})
            .empty());
  CHECK(refused_in_memory(
            {repeated(begin, {op(Kind::send, 8, 1, 0)}, 3, end),
             RankOps({op(Kind::recv, 8, 0), op(Kind::recv, 8, 0), op(Kind::recv, 8, 0), op(Kind::finalize)})})
            .empty());
  CHECK_THAT(refused_in_memory(
                 {repeated(begin, {op(Kind::send, 8, 1, 0), op(Kind::send, 9, 1, 0)}, 6, end),
                  repeated(begin, {op(Kind::recv, 9, 0, 0), op(Kind::recv, 9, 0, 0), op(Kind::recv, 8, 0, 0)},
                           4, end)}),
             Contains("operation 6 of rank 1: ") && Contains("send 1 0 9 (operation 6 of rank 0)"));
  // One repetition more than the other rank.
  CHECK_THAT(
      refused_in_memory({sends, repeated(begin, {op(Kind::recv, 8, 0, 0), op(Kind::barrier)}, 999, end)}),
      Contains("operation 1999 of rank 1: collective operation 1000") &&
          Contains("barrier (operation 2000 of rank 0)"));
  CHECK_THAT(refused_in_memory({repeated(begin, {op(Kind::send, 8, 1, 0)}, 1000, end),
                                repeated(begin, {op(Kind::recv, 8, 0, 0)}, 999, end)}),
             Contains("operation 1000 of rank 0: ") && Contains("1000 sends against 999"));
  // A mismatch after the repeated stretch.
  CHECK_THAT(refused_in_memory({repeated(begin, {op(Kind::send, 8, 1, 0)}, 1000, {op(Kind::send, 9, 1, 0)}),
                                repeated(begin, {op(Kind::recv, 8, 0, 0)}, 1000, {op(Kind::recv, 7, 0, 0)})}),
             Contains("operation 1001 of rank 1: ") && Contains("send 1 0 9 (operation 1001 of rank 0)"));
}

TEST_CASE("repetitions that are equal on all ranks take no time") {
  // Written out, a single one would take hours.
  const std::uint64_t forever = std::uint64_t{1} << 45;
  const std::vector<TraceOp> begin = {op(Kind::init)}, end = {op(Kind::finalize)};
  CHECK(refused_in_memory({repeated(begin, {op(Kind::send, 8, 1, 0), op(Kind::barrier)}, forever, end),
                           repeated(begin, {op(Kind::recv, 8, 0, 0), op(Kind::barrier)}, forever, end)})
            .empty());
}

TEST_CASE(
    "random stretches are refused exactly where they are refused written out, and where an executor fails") {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  unsigned refusals = 0;
  for (unsigned run = 0; run < 3000; ++run) {
    // One rank sends steps; the other's receives have a stretch that begins within a step. Half of the runs
    // have a receive that is too short.
    std::vector<TraceOp> step;
    for (std::size_t i = 0, length = 1 + below(4); i < length; ++i)
      step.push_back(op(Kind::isend, 8 + below(2), 1, static_cast<int>(below(2))));
    const std::size_t times = 2 + below(5), turned = below(step.size());
    std::vector<TraceOp> received;
    for (std::size_t at = 0; at < 2 * step.size(); ++at) {
      const TraceOp& send = step[at % step.size()];
      received.push_back(op(Kind::irecv, send.value, 0, send.tag));
    }
    if (below(2) == 0) received[below(received.size())].value -= 1;
    Trace trace;
    trace.ranks = {repeated({}, step, times, {op(Kind::finalize)}),
                   folded(received, turned, step.size(), times - 1)};
    trace.ranks[1].push_back(op(Kind::finalize));
    const std::string found = refused_in_memory(trace.ranks);
    REQUIRE_THAT(found,
                 Equals(refused_in_memory({written_out(trace.ranks[0]), written_out(trace.ranks[1])})));
    const bool fails = RankExecutor(trace, true).run().find("longer than its receive") != std::string::npos;
    REQUIRE(fails == !found.empty());
    refusals += fails ? 1 : 0;
  }
  CHECK(refusals > 500);
  CHECK(refusals < 2500);
}

namespace {

/// `body` repeated `times` times, with its runs of equal operations as stretches; a run of more than `split`
/// is two.
RankOps folded_runs(const std::vector<TraceOp>& body, std::size_t times, std::size_t split) {
  RankOps ops;
  for (std::size_t at = 0; at < body.size();) {
    std::size_t length = 1;
    while (at + length < body.size() && body[at + length].value == body[at].value &&
           body[at + length].tag == body[at].tag)
      ++length;
    const std::size_t first = ops.stored().size();
    ops.push_back(body[at]);
    const std::size_t once = std::min(split, length);  // the run in two stretches
    ops.repeat_from(first, once);
    if (once < length) {
      ops.push_back(body[at]);
      ops.repeat_from(first + 1, length - once);
    }
    at += length;
  }
  ops.repeat_from(0, times);
  return ops;
}

}  // namespace

TEST_CASE("stretches within stretches are refused exactly where they are refused written out") {
  std::mt19937 random(5);
  unsigned refusals = 0;
  for (unsigned run = 0; run < 2000; ++run) {
    std::vector<TraceOp> sent;
    for (std::size_t i = 0, runs = 1 + random() % 5; i < runs; ++i)
      sent.insert(sent.end(), 1 + random() % 6,
                  op(Kind::isend, 8 + random() % 2, 1, static_cast<int>(random() % 2)));
    const std::size_t times = 1 + random() % 3;
    std::vector<TraceOp> received = sent;
    for (TraceOp& each : received) each = op(Kind::irecv, each.value, 0, each.tag);
    if (random() % 2 == 0) received[random() % received.size()].value -= 1;
    if (random() % 8 == 0) received.push_back(received.back());
    std::vector<RankOps> ranks = {folded_runs(sent, times, 1 + random() % 4),
                                  folded_runs(received, times, 1 + random() % 4)};
    for (RankOps& ops : ranks) ops.push_back(op(Kind::finalize));
    const std::string found = refused_in_memory(ranks);
    REQUIRE_THAT(found, Equals(refused_in_memory({written_out(ranks[0]), written_out(ranks[1])})));
    refusals += found.empty() ? 0 : 1;
  }
  CHECK(refusals > 300);
  CHECK(refusals < 1700);
}

TEST_CASE("skeletons agree, and one changed operation is found") {
  std::mt19937 random(3);
  for (const npb::Benchmark& benchmark : all_benchmarks) {
    for (const char size_class : {'S', 'A', 'C'}) {
      for (const unsigned ranks : benchmark.rank_counts(size_class)) {
        if (ranks > 64 && std::string(benchmark.name).substr(0, 2) != "dt") break;
        if (size_class == 'C' && std::string(benchmark.name) == "is")
          break;  // generating its keys takes a second
        const std::string name = std::string(benchmark.name) + "." + size_class + "." + std::to_string(ranks);
        CAPTURE(name);
        Trace trace = skeleton(name);
        REQUIRE_THAT(refusal([&] { check_ranks(trace); }), Equals(""));
        if (ranks == 1) continue;
        // A longer send, or another collective, on one of the ranks.
        RankOps& ops = trace.ranks[random() % ranks];
        std::vector<TraceOp> stored = ops.stored();
        REQUIRE(ops.repetitions().levels().size() <= 1);
        for (TraceOp& each : stored) {
          if (each.kind == Kind::alltoallv || (!is_collective(each.kind) && !sends(each))) continue;
          each.value += 1'000'000'000;
          break;
        }
        const Repetition repetition =
            ops.repetitions().levels().empty() ? Repetition() : ops.repetitions().levels()[0];
        ops = folded(stored, repetition.first, repetition.length, repetition.times());
        REQUIRE_THAT(refusal([&] { check_ranks(trace); }), StartsWith("workload.npb: operation "));
      }
    }
  }
}
