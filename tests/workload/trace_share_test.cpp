// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/core/error.h"
#include "tsuji/workload/trace_check.h"
#include "tsuji/workload/trace_share.h"
#include "workload/npb_traces.h"
#include "workload/rank_executor.h"
#include "workload/trace_op.h"

using namespace tsuji;
using namespace tsuji::workload;
using Catch::Contains;
using Catch::Equals;
using tsuji::test::op;
using tsuji::test::refusal;
using tsuji::test::TextFile;
using Kind = TraceOpKind;

namespace {

Trace read(const std::string& text) {
  const TextFile file(text);
  Trace trace = read_trace(file.path());
  check_ranks(trace);
  return trace;
}

/// Number of operations of each rank in the first share of a trace.
std::vector<std::size_t> sizes(const Trace& trace, double share) {
  std::vector<std::size_t> sizes;
  for (const RankOps& ops : first_share(trace, share).ranks) sizes.push_back(ops.size());
  return sizes;
}

std::string text_of(const Trace& trace) {
  std::ostringstream text;
  write_trace(trace, text);
  return text.str();
}

/// Two ranks, the second of which receives 4 messages that the first one sends.
const std::string stream =
    "0 init\n0 send 1 0 100 6\n0 send 1 0 200 6\n0 send 1 0 300 6\n0 send 1 0 400 6\n0 finalize\n"
    "1 init\n1 recv 0 0 100 6\n1 recv 0 0 200 6\n1 recv 0 0 300 6\n1 recv 0 0 400 6\n1 finalize\n";

}  // namespace

TEST_CASE("the first share of a trace is that of each rank, with its finalize") {
  const Trace trace = read(stream);
  CHECK(sizes(trace, 0.2) == std::vector<std::size_t>{2, 2});
  CHECK(sizes(trace, 0.21) == std::vector<std::size_t>{3, 3});
  CHECK(text_of(first_share(trace, 0.6)) ==
        "0 init\n0 send 1 0 100 6\n0 send 1 0 200 6\n0 finalize\n"
        "1 init\n1 recv 0 0 100 6\n1 recv 0 0 200 6\n1 finalize\n");
  CHECK(text_of(first_share(trace, 1)) == text_of(trace));
}

TEST_CASE("every message of a part has both ends") {
  // Rank 0 sends late a message that rank 1 receives early; then rank 0 receives late.
  const std::string computes = "0 compute 1\n0 compute 1\n0 compute 1\n0 compute 1\n";
  const Trace late_send = read("0 init\n" + computes + "0 send 1 0 8 6\n0 compute 1\n0 finalize\n" +
                               "1 init\n1 recv 0 0 8 6\n1 compute 1\n1 compute 1\n1 compute 1\n1 finalize\n");
  CHECK(sizes(late_send, 0.3) == std::vector<std::size_t>{7, 3});
  const Trace late_receive =
      read("0 init\n" + computes + "0 recv 1 0 8 6\n0 compute 1\n0 finalize\n" +
           "1 init\n1 send 0 0 8 6\n1 compute 1\n1 compute 1\n1 compute 1\n1 finalize\n");
  CHECK(sizes(late_receive, 0.3) == std::vector<std::size_t>{7, 3});
}

TEST_CASE("every request of a part is waited for") {
  const Trace one = read(
      "0 init\n0 isend 1 0 8 6\n0 compute 1\n0 wait 0 1 0\n0 compute 1\n0 finalize\n"
      "1 init\n1 irecv 0 0 8 6\n1 compute 1\n1 compute 1\n1 waitall 1\n1 finalize\n");
  CHECK(sizes(one, 0.4) == std::vector<std::size_t>{5, 6});
  // A part becomes longer for a message, and again for a request on the way to it.
  const Trace other = read(
      "0 init\n0 compute 1\n0 compute 1\n0 isend 1 0 8 6\n0 compute 1\n0 wait 0 1 0\n0 finalize\n"
      "1 init\n1 recv 0 0 8 6\n1 compute 1\n1 compute 1\n1 compute 1\n1 compute 1\n1 finalize\n");
  CHECK(sizes(other, 0.3) == std::vector<std::size_t>{7, 3});
}

TEST_CASE("a part has the collective operations of all ranks") {
  const Trace trace = read(
      "0 init\n0 barrier\n0 barrier\n0 compute 1\n0 compute 1\n0 barrier\n0 finalize\n"
      "1 init\n1 compute 1\n1 barrier\n1 compute 1\n1 compute 1\n1 barrier\n1 barrier\n1 finalize\n");
  CHECK(sizes(trace, 0.5) == std::vector<std::size_t>{4, 7});
}

TEST_CASE("operations of a part have the lines of the file") {
  const Trace part = first_share(read(stream), 0.4);
  CHECK_THAT(part.place_of(1, 1), Contains(":8"));
  CHECK_THAT(part.doing(1, 2), Contains("operation 2 of 3: finalize") && Contains(":12"));
}

TEST_CASE("a part of every benchmark comes to its end") {
  for (const npb::Benchmark& benchmark : all_benchmarks) {
    for (const unsigned ranks : benchmark.rank_counts('S')) {
      if (ranks > 32) break;
      const Trace trace = skeleton(std::string(benchmark.name) + ".S." + std::to_string(ranks));
      const auto all = static_cast<double>(count_of(trace).operations);
      for (const double share : {0.03, 0.1, 0.5, 0.9}) {
        CAPTURE(benchmark.name, ranks, share);
        const Trace part = first_share(trace, share);
        REQUIRE_NOTHROW(check_ranks(part));
        REQUIRE_THAT(RankExecutor(part, true).run(), Equals(""));
        REQUIRE_THAT(RankExecutor(part, false).run(), Equals(""));
        REQUIRE(static_cast<double>(count_of(part).operations) >= share * (all - ranks));
      }
    }
  }
}

TEST_CASE("a part of iterations is as long as its share") {
  const Trace trace = skeleton("cg.A.64", 1);
  const auto all = static_cast<double>(count_of(trace).operations);
  for (const double share : {0.1, 0.3}) {
    INFO(share);
    CHECK(static_cast<double>(count_of(first_share(trace, share)).operations) / all ==
          Approx(share).margin(0.02));
  }
}

TEST_CASE("a part with too many operations is refused") {
  Trace trace = read("0 init\n0 finalize\n");
  RankOps ops;
  ops.push_back(op(Kind::compute, 1));
  ops.repeat_from(0, 1'000'000'000);
  trace.ranks = {ops};
  trace.lines.clear();
  CHECK(sizes(trace, 0.001) == std::vector<std::size_t>{1'000'000});
  CHECK(first_share(trace, 1).ranks[0].stored().size() == 1);
  CHECK_THAT(
      refusal([&] { first_share(trace, 0.5); }),
      Contains("workload.trace_share: of the trace's 1000000000 operations") && Contains("up to 0.134"));
}
