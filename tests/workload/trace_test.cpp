// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/trace.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::workload;
using Catch::Contains;

namespace {

/// A temporary trace file.
class TraceFile {
 public:
  explicit TraceFile(const std::string& content) {
    char name[] = "/tmp/tsuji_trace_XXXXXX";
    ::close(::mkstemp(name));
    path_ = name;
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TraceFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }
  Trace read() const { return read_trace(path_); }

 private:
  std::string path_;
};

std::string compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

const char* const two_ranks =
    "0 init\n0 compute 1500\n0 isend 1 7 40 6\n0 irecv 1 8 0 6\n# roi_begin\n0 wait 0 1 7\n0 waitall 1\n"
    "0 alltoallv 30 10 20 12 10 2 6 6\n# roi_end\n0 reduce 16 0 1 6\n0 finalize\n"
    "# a comment\n1 init\n1 recv 0 7 40 6\n1 send 0 8 0 6\n1 alltoallv 5 2 3 23 20 3 6 6\n1 barrier\n"
    "1 bcast 4 1 6\n1 allreduce 8 0 6\n1 alltoall 4 4 6 6\n1 finalize\n";

void check_two_ranks(const Trace& trace) {
  REQUIRE(trace.size() == 2);
  REQUIRE(trace.ranks[0].size() == 11);
  const auto& ops = trace.ranks[0];
  CHECK(ops[1].value == 1500);
  CHECK(ops[2].kind == TraceOpKind::isend);
  CHECK(ops[2].peer == 1);
  CHECK(ops[2].tag == 7);
  CHECK(ops[2].value == 40);
  CHECK(ops[4].kind == TraceOpKind::roi_begin);
  CHECK_FALSE(ops[5].receives);
  CHECK(ops[5].peer == 1);
  CHECK(ops[8].kind == TraceOpKind::roi_end);
  CHECK(ops[9].peer == 1);
  CHECK(trace.bytes_to(ops[7])[1] == 20);
  CHECK(trace.bytes_from(ops[7])[1] == 2);
  CHECK(trace.bytes_to(trace.ranks[1][3])[0] == 2);
}

/// One rank's file with `line` as its line 2.
void refused(const std::string& line, const std::string& what, const std::string& accepted) {
  const TraceFile file("0 init\n" + line + "\n0 finalize\n1 init\n1 finalize\n");
  CAPTURE(line);
  CHECK_THROWS_WITH(file.read(),
                    Contains(file.path() + ":2:") && Contains(what) && Contains("accepted: " + accepted));
  CHECK_THROWS_AS(file.read(), ConfigError);
}

void refused_at(const std::string& content, unsigned line, const std::string& what) {
  const TraceFile file(content);
  CHECK_THROWS_WITH(file.read(), Contains(file.path() + ":" + std::to_string(line) + ":") && Contains(what));
}

}  // namespace

TEST_CASE("a trace is read alike from text and from zstd") {
  check_two_ranks(TraceFile(two_ranks).read());
  check_two_ranks(TraceFile(compressed(two_ranks)).read());
  // Frames may follow each other, as `zstd` appends them.
  const std::string text = two_ranks;
  check_two_ranks(TraceFile(compressed(text.substr(0, 50)) + compressed(text.substr(50))).read());
}

TEST_CASE("a trace is read from a pipe, in pieces of any size") {
  const TraceFile file("");
  std::remove(file.path().c_str());
  REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
  const std::string text = two_ranks;
  for (const std::string& content : {text, compressed(text), std::string("0 \n"), std::string()}) {
    for (const std::size_t piece : {std::size_t{3}, std::size_t{1000}}) {
      std::thread writer([&] {
        std::ofstream pipe(file.path(), std::ios::binary);
        for (std::size_t at = 0; at < content.size(); at += piece)
          pipe << content.substr(at, piece) << std::flush;
      });
      if (content.size() > 3) {
        check_two_ranks(file.read());
      } else {
        CHECK_THROWS_AS(file.read(), ConfigError);
      }
      writer.join();
    }
  }
}

TEST_CASE("lines longer than the reader's buffer are read whole") {
  const unsigned ranks = 40000;
  std::string text;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    text += std::to_string(rank) + " init\n";
    if (rank == 0) {
      std::string counts;
      for (unsigned peer = 0; peer < ranks; ++peer) counts += " 12";
      text += "0 alltoallv 480000" + counts + " 480000" + counts + " 6 6\n";
    }
    text += std::to_string(rank) + " finalize\n";
  }
  const Trace trace = TraceFile(compressed(text)).read();
  CHECK(trace.size() == ranks);
  CHECK(trace.bytes_from(trace.ranks[0][1])[ranks - 1] == 12);
}

TEST_CASE("a line of SimGrid's other dialect is refused with the converter's name") {
  const std::string converter = "; scripts/convert_trace reads SimGrid's other dialects";
  refused("", "not an operation", "rank op args" + converter);
  refused("1 barrier", "another rank's operation",
          "rank 0; ranks one after the other, in ascending order from 0" + converter);
  refused("0 sleep 1", "unknown operation (got 'sleep')", "init finalize");
  refused("0 compute 1e9", "not a whole number", "0..9223372036854775807" + converter);
  refused("0 send 1 8", "wrong number of arguments", "PEER TAG BYTES 6 (one communicator only)" + converter);
  refused("0 send 1 0 8 1", "datatype (got '1')", "6" + converter);
  const TraceFile file("0 init\n0 gather 4 4 0 6 6\n0 finalize\n");
  CHECK_THROWS_WITH(file.read(), Contains("alltoallv" + converter));
}

TEST_CASE("an invalid trace line is refused with its place, the value and what is accepted") {
  refused("0 gather 4 4 0 6 6", "unknown operation (got 'gather')", "init finalize compute send");
  refused("0 send 1 0 8 1", "datatype (got '1')", "6");
  refused("0 send 1 0 8", "wrong number of arguments of send (got '3')", "PEER TAG BYTES 6");
  refused("0 send 1 0 8 6 2", "wrong number of arguments", "PEER TAG BYTES 6 (one communicator only)");
  refused("0 barrier 1", "wrong number of arguments of barrier", "no arguments (one communicator only)");
  refused("0 allreduce 8 3 6", "reduce operation (got '3')", "0");
  refused("0 reduce 8 2 0 6", "reduce operation (got '2')", "0");
  refused("0 send 1 0 -8 6", "bytes: not a whole number of at least 0 (got '-8')", "0..");
  refused("0 send 1 -1 8 6", "a tag: not a whole number", "0..2147483647");
  refused("0 send one 0 8 6", "the other rank: not a whole number", "0..");
  refused("0 compute 1.5", "flops: not a whole number", "0..");
  refused("0 send 1 3000000000 8 6", "a tag: too large", "0..2147483647");
  refused("0 bcast 99999999999999999999999 0 6", "bytes: too large", "0..");
  refused("0 send 5 0 8 6", "a rank that the file does not hold (got '5')", "0..1");
  refused("0 bcast 8 2 6", "a rank that the file does not hold (got '2')", "0..1");
  refused("0 wait 1 0 3", "a wait for a request that this rank does not have", "an isend or irecv");
  refused("0 wait 1 1 3", "a wait for other ranks' message", "this rank");
  refused("0 waitall 2", "waitall for some of the requests only", "all that this rank has open: 0");
  refused("0 alltoall 8 4 6 6", "bytes received from each rank", "8");
  refused("0 alltoallv 9 4 4 8 4 4 6 6", "sum of the bytes sent (got '9')", "8");
  refused("0 alltoallv 4 4 4 4 6 6", "alltoallv over another number of ranks", "2");
  refused("0 alltoallv 4 4 4 6 6", "wrong number of arguments", "alltoallv SSUM");
  refused("0", "not an operation", "rank op args");
  refused("", "not an operation", "rank op args");
  refused("0 init", "a second init", "one init for each rank");
  refused("1 barrier", "another rank's operation before this rank's finalize", "rank 0");
}

TEST_CASE(
    "a refusal names the column of the value, and the line's first column if it concerns the whole line") {
  const auto at = [](const char* line, const char* place) {
    const TraceFile file(std::string("0 init\n") + line + "\n0 finalize\n");
    CHECK_THROWS_WITH(file.read(), Contains(file.path() + ":2:" + place + ": "));
  };
  at("0 gather 4", "3");
  at("0  send  1 0 -8 6", "14");
  at("0 reduce 8 0 0 2", "16");
  at("0 waitall 2", "11");
  at("0 send 0 0 8", "1");
  at("", "1");
  at("0", "1");
  at("1 barrier", "1");
}

TEST_CASE("ranks out of order, missing or truncated are refused") {
  refused_at("0 init\n0 finalize\n2 init\n2 finalize\n", 3, "ranks out of order or missing (got '2')");
  refused_at("1 init\n1 finalize\n", 1, "accepted: rank 0");
  refused_at("0 init\n0 finalize\n0 barrier\n", 3, "ranks out of order");
  refused_at("0 barrier\n", 1, "a rank's first operation");
  refused_at("0 init\n0 barrier\n", 3, "truncated: the file ends before this rank's finalize");
  refused_at("0 init\n0 final", 2, "unknown operation");
  refused_at("0 init\n0 barrier", 3, "truncated: the file ends before this rank's finalize");
  CHECK(TraceFile("0 init\n0 finalize").read().size() == 1);  // a last line without a newline
  refused_at("", 1, "no ranks");
  refused_at("# roi_begin\n0 init\n0 finalize\n", 1, "a section mark outside a rank");
  refused_at("0 init\n0 irecv 0 1 8 6\n0 finalize\n", 3, "requests of this rank without a wait");
}

TEST_CASE(
    "a rank that computes for longer than the machine can count is refused at the line that exceeds it") {
  const TraceFile file(
      "0 init\n0 compute 600\n0 compute 400\n0 finalize\n"
      "1 init\n1 compute 1000\n1 barrier\n1 compute 1\n1 finalize\n");
  CHECK(read_trace(file.path(), {1001, ""}).size() == 2);
  CHECK_THROWS_WITH(read_trace(file.path(), {1000, "so it is"}),
                    Contains(":8:11: workload.trace: the rank computes for too long (got '1')") &&
                        Contains("accepted: at most 1000 flops a rank (so it is)"));
  CHECK_THROWS_WITH(read_trace(file.path(), {0, ""}), Contains(":2:11: ") && Contains("(got '600')"));
  const std::uint64_t half = std::numeric_limits<std::uint64_t>::max() / 2;
  const std::string number = std::to_string(half);
  CHECK(TraceFile("0 init\n0 compute " + number + "\n0 finalize\n").read().size() == 1);
  CHECK_THROWS_WITH(
      TraceFile("0 init\n0 compute " + number + "\n0 compute " + number + "\n0 finalize\n").read(),
      Contains(":3:11: workload.trace: the rank computes for too long"));
}

TEST_CASE("damaged or incomplete compressed traces are refused") {
  const std::string whole = compressed(two_ranks);
  for (const std::size_t kept : {whole.size() - 1, whole.size() / 2, std::size_t{5}}) {
    refused_at(whole.substr(0, kept), 1, "truncated: the zstd frame is incomplete");
  }
  std::string damaged = whole;
  damaged[4] = static_cast<char>(damaged[4] | 0x08);  // a reserved bit of the frame header
  refused_at(damaged, 1, "damaged zstd data");
  CHECK_THROWS_WITH(read_trace("/nowhere/x.ti"),
                    Contains("workload.trace: cannot be read: No such file") && Contains("/nowhere/x.ti"));
}
