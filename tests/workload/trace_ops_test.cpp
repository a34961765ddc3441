// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/core/error.h"
#include "tsuji/workload/trace.h"
#include "workload/trace_op.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::op;
using tsuji::test::refusal;
using tsuji::test::TextFile;
using Kind = TraceOpKind;

namespace {

constexpr Kind all_kinds[] = {
    Kind::init,      Kind::finalize, Kind::compute,   Kind::send,      Kind::isend,  Kind::recv,
    Kind::irecv,     Kind::wait,     Kind::waitall,   Kind::barrier,   Kind::bcast,  Kind::reduce,
    Kind::allreduce, Kind::alltoall, Kind::alltoallv, Kind::roi_begin, Kind::roi_end};

Trace read(const std::string& text) {
  const TextFile file(text);
  return read_trace(file.path());
}

/// The refusal of a one-rank trace with `line` between init and finalize, from its place on; empty: accepted.
std::string refused(const std::string& line) {
  const TextFile file("0 init\n" + line + "\n0 finalize\n");
  const std::string text = refusal([&] { read_trace(file.path()); });
  return text.empty() ? "" : text.substr(text.find(file.path()) + file.path().size());
}

}  // namespace

TEST_CASE("a report names an operation by its word and its arguments") {
  CHECK(text_of(op(Kind::send, 40960, 4, 2)) == "send 4 2 40960");
  CHECK(text_of(op(Kind::isend, 1, 0, 3)) == "isend 0 3 1");
  CHECK(text_of(op(Kind::recv, 8, 1, 0)) == "recv 1 0 8");
  CHECK(text_of(op(Kind::irecv, 9, 7, 6)) == "irecv 7 6 9");
  CHECK(text_of(op(Kind::wait, 0, 5, 2, true)) == "wait for the message from rank 5, tag 2");
  CHECK(text_of(op(Kind::wait, 0, 5, 2, false)) == "wait for the message to rank 5, tag 2");
  CHECK(text_of(op(Kind::bcast, 16, 3)) == "bcast 16, root 3");
  CHECK(text_of(op(Kind::reduce, 24, 1)) == "reduce 24, root 1");
  CHECK(text_of(op(Kind::compute, 1500)) == "compute 1500");
  CHECK(text_of(op(Kind::waitall, 2)) == "waitall 2");
  CHECK(text_of(op(Kind::allreduce, 8)) == "allreduce 8");
  CHECK(text_of(op(Kind::alltoall, 4)) == "alltoall 4");
  // An alltoallv's value is a place in the trace's counts.
  CHECK(text_of(op(Kind::alltoallv, 77)) == "alltoallv");
  CHECK(text_of(op(Kind::barrier)) == "barrier");
  CHECK(text_of(op(Kind::init)) == "init");
}

TEST_CASE("collectives are the operations that all ranks take part in") {
  for (const Kind kind : all_kinds) {
    const std::string name = name_of(kind);
    INFO(name);
    const bool expected = name == "barrier" || name == "bcast" || name == "reduce" || name == "allreduce" ||
                          name == "alltoall" || name == "alltoallv" || name == "finalize";
    CHECK(is_collective(kind) == expected);
  }
}

TEST_CASE("counts of a trace include every repetition, and leave out its marks and its empty computing") {
  Trace trace;
  RankOps ops;
  for (const TraceOp& each : {op(Kind::init), op(Kind::roi_begin), op(Kind::compute, 0), op(Kind::compute, 5),
                              op(Kind::send, 100, 1, 0), op(Kind::isend, 30, 1, 0), op(Kind::recv, 7, 1, 0)})
    ops.push_back(each);
  ops.repeat_from(3, 4);  // from the second compute on
  for (const TraceOp& each : {op(Kind::waitall, 4), op(Kind::roi_end), op(Kind::finalize)})
    ops.push_back(each);
  trace.ranks = {ops, RankOps({op(Kind::init), op(Kind::isend, 1, 0, 0), op(Kind::finalize)})};
  const TraceCount count = count_of(trace);
  CHECK(count.operations == 2 + 4 * 4 + 2 + 3);
  CHECK(count.computes == 4);
  CHECK(count.messages == 2 * 4 + 1);
  CHECK(count.message_bytes == 4 * 130 + 1);
  const MessageCount all{9, 521};
  CHECK_NOTHROW(check_count(count, all, all, 100));
  CHECK_THROWS_WITH(check_count(count, all, {8, 521}, 100),
                    Catch::Contains("cycle 100") && Catch::Contains("the trace has 9 messages of 521 bytes, "
                                                                    "and 8 of 521 bytes were received"));
  CHECK_THROWS_WITH(check_count(count, {10, 521}, all, 100),
                    Catch::Contains("the trace has 9 messages of 521 bytes, and 10 of 521 bytes were sent"));
  CHECK_THROWS_AS(check_count(count, all, {9, 520}, 100), ModelError);
  CHECK_THROWS_AS(check_count(count, {9, 522}, all, 100), ModelError);
}

TEST_CASE("numbers of a trace are accepted up to their maximum, and refused above it") {
  CHECK(refused("0 allreduce 9223372036854775807 0 6").empty());
  CHECK_THAT(refused("0 allreduce 9223372036854775808 0 6"),
             Catch::Contains("bytes: too large (got '9223372036854775808')"));
  CHECK_THAT(refused("0 allreduce 18446744073709551616 0 6"), Catch::Contains("bytes: too large"));
  CHECK_THAT(refused("0 allreduce 18446744073709551617 0 6"), Catch::Contains("bytes: too large"));
  CHECK(refused("0 alltoall 4294967295 4294967295 6 6").empty());
  CHECK_THAT(refused("0 alltoall 4294967296 4294967296 6 6"), Catch::Contains("bytes: too large"));
  CHECK(refused("0 alltoallv 4294967295 4294967295 4294967295 4294967295 6 6").empty());
  CHECK_THAT(refused("0 alltoallv 4294967296 4294967296 0 0 6 6"), Catch::Contains("bytes: too large"));
  CHECK(refused("0 send 0 2147483647 8 6\n0 recv 0 2147483647 8 6").empty());
  CHECK_THAT(refused("0 send 0 2147483648 8 6"), Catch::Contains("a tag: too large"));
  CHECK_THAT(refused("0 bcast 8 65534 6"),
             Catch::Contains("a rank that the file does not hold (got '65534')"));
  CHECK_THAT(refused("0 bcast 8 65535 6"), Catch::Contains("the root: too large"));
  CHECK_THAT(refused("0 waitall 0").empty() ? "taken" : "refused", Catch::Equals("taken"));
  CHECK_THAT(refused("0 compute x"), Catch::StartsWith(":2:11: "));
  for (const char* line :
       {"0 bcast 8 0 5", "0 reduce 8 0 0 5", "0 allreduce 8 0 5", "0 alltoall 8 8 5 6", "0 alltoall 8 8 6 5",
        "0 alltoallv 4 4 4 4 5 6", "0 alltoallv 4 4 4 4 6 5", "0 alltoallv 4 4 5 4 6 6"})
    CHECK_THAT(refused(line), Catch::StartsWith(":2:") && Catch::Contains("unknown or wrong "));
}

TEST_CASE("any kind of space separates words, and a comment that is no mark is left out") {
  const Trace trace = read(
      "#\n# anything\n0 \t init\r\n#roi_begin\n# roi_begin too much\n# roi_beginning\n"
      "\t0  compute\t7 \r\n#\troi_end \n0 finalize\n");
  REQUIRE(trace.size() == 1);
  std::vector<Kind> kinds;
  for (const TraceOp& each : trace.ranks[0]) kinds.push_back(each.kind);
  CHECK(kinds ==
        std::vector<Kind>{Kind::init, Kind::roi_begin, Kind::compute, Kind::roi_end, Kind::finalize});
  CHECK(trace.ranks[0][2].value == 7);
}

TEST_CASE("a wait matches the oldest of its rank's requests that it names") {
  // A wait for a message to the rank itself takes either end; otherwise the rank's side of the message,
  // source or destination, selects send or receive.
  CHECK(refused("0 isend 0 1 8 6\n0 irecv 0 1 8 6\n0 wait 0 0 1\n0 wait 0 0 1").empty());
  CHECK_THAT(
      refused("0 isend 0 1 8 6\n0 irecv 0 1 8 6\n0 wait 0 0 1\n0 wait 0 0 1\n0 wait 0 0 1"),
      Catch::StartsWith(":6:") && Catch::Contains("a wait for a request that this rank does not have"));
  const auto two = [](const std::string& lines) {
    const TextFile file("0 init\n" + lines + "0 finalize\n1 init\n1 finalize\n");
    return refusal([&] { read_trace(file.path()); });
  };
  CHECK(two("0 isend 1 1 8 6\n0 irecv 1 1 8 6\n0 wait 1 0 1\n0 wait 0 1 1\n").empty());
  CHECK_THAT(two("0 isend 1 1 8 6\n0 wait 1 0 1\n"), Catch::Contains("does not have"));
  CHECK_THAT(two("0 irecv 1 1 8 6\n0 wait 0 1 1\n"), Catch::Contains("does not have"));
  CHECK_THAT(two("0 irecv 1 1 8 6\n0 wait 1 0 2\n"), Catch::Contains("does not have"));
  CHECK(two("0 isend 1 1 8 6\n0 irecv 1 1 8 6\n0 waitall 2\n").empty());
  CHECK_THAT(two("0 isend 1 1 8 6\n0 waitall 0\n"), Catch::Contains("all that this rank has open: 1"));
  // Each rank has its own requests.
  const TextFile file("0 init\n0 irecv 0 1 8 6\n0 waitall 1\n0 finalize\n1 init\n1 waitall 0\n1 finalize\n");
  CHECK(refusal([&] { read_trace(file.path()); }).empty());
}

TEST_CASE("a trace of any operations is written as it was read") {
  const std::string text =
      "0 init\n0 compute 3\n# roi_begin\n0 isend 1 7 40 6\n0 irecv 1 8 16 6\n0 wait 0 1 7\n0 wait 1 0 8\n"
      "0 send 1 9 8 6\n0 recv 1 9 8 6\n0 irecv 1 10 8 6\n0 waitall 1\n0 barrier\n0 bcast 4 1 6\n"
      "0 reduce 16 0 1 6\n0 allreduce 24 0 6\n0 alltoall 5 5 6 6\n0 alltoallv 30 10 20 3 1 2 6 6\n# roi_end\n"
      "0 finalize\n1 init\n1 finalize\n";
  std::ostringstream out;
  write_trace(read(text), out);
  CHECK(out.str() == text);
}
