// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/workload/trace_check.h"
#include "tsuji/workload/trace_formats.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::thrown;

namespace {

/// Files of one format in a folder of their own.
class Files {
 public:
  explicit Files(std::string format) : format_(std::move(format)) {}
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
  }
  Trace read(const std::string& name, const TraceLimits& limits = {}) const {
    return trace_formats().make(format_, {folder_.file(name), limits});
  }
  std::string refused(const std::string& name, const std::string& text, const TraceLimits& limits = {}) {
    write(name, text);
    const auto error = thrown<ConfigError>([&] { read(name, limits); });
    return error ? error->what() : "";
  }

 private:
  const std::string format_;
  const tsuji::test::TemporaryFolder folder_;
};

/// Operations of a rank as text, between init and finalize.
std::vector<std::string> ops_of(const Trace& trace, std::size_t rank) {
  std::vector<std::string> texts;
  const RankOps& ops = trace.ranks[rank];
  REQUIRE(ops.size() >= 2);
  CHECK(ops[0].kind == TraceOpKind::init);
  CHECK(ops[ops.size() - 1].kind == TraceOpKind::finalize);
  for (std::size_t at = 1; at + 1 < ops.size(); ++at) texts.push_back(text_of(ops[at]));
  return texts;
}

using Texts = std::vector<std::string>;

std::string goal_of(const std::string& rank0, const std::string& rank1 = "") {
  return "num_ranks 2\nrank 0 {\n" + rank0 + "}\nrank 1 {\n" + rank1 + "}\n";
}

/// The binomial tree that LogGOPSim's repository has as binary_tree_32.goal, for any number of ranks.
std::string binomial_tree_goal(unsigned ranks) {
  std::string text = "num_ranks " + std::to_string(ranks) + "\n\n";
  for (unsigned rank = 0; rank < ranks; ++rank) {
    text += "rank " + std::to_string(rank) + " {\n";
    unsigned label = 1, distance = 1;
    while (distance <= rank) distance *= 2;
    if (rank != 0) text += "l1: recv 1b from " + std::to_string(rank - distance / 2) + " tag 0\n";
    if (rank != 0) ++label;
    for (; rank + distance < ranks; distance *= 2, ++label) {
      text += "l" + std::to_string(label) + ": send 1b to " + std::to_string(rank + distance) + " tag 0\n";
      if (rank != 0) text += "l" + std::to_string(label) + " requires l1\n";
    }
    text += "}\n\n";
  }
  return text;
}

std::string dumpi_call(const std::string& name, unsigned us, const std::string& parameters = "",
                       unsigned takes = 1) {
  const auto time = [](unsigned at) {
    std::string digits = std::to_string(at);
    digits.insert(0, 6 - digits.size(), '0');
    return "1296777956." + digits + "000, cputime 0.000000000 seconds in thread 0.\n";
  };
  return name + " entering at walltime " + time(us) + parameters + name + " returning at walltime " +
         time(us + takes);
}

const std::string world = "MPI_Comm comm=2 (MPI_COMM_WORLD)\n";

std::string dumpi_message(const std::string& peer, unsigned tag, unsigned count = 1,
                          const std::string& type = "9 (MPI_INT)") {
  return "int count=" + std::to_string(count) + "\nMPI_Datatype datatype=" + type + "\nint " + peer +
         "\nint tag=" + std::to_string(tag) + "\n" + world;
}

std::string dumpi_rank(const std::string& calls) {
  return "version=1.0.0\nmeshdim=0\n" +
         dumpi_call("MPI_Init", 0, "int argc=1\nstring argv[1]=[\"./mpi\"]\n") + calls +
         dumpi_call("MPI_Finalize", 900) + "MPI_Send called 0 times and ignored 0 times\n";
}

}  // namespace

TEST_CASE("GOAL: messages begin when what they require is over, computing blocks") {
  Files files("goal");
  files.write("a.goal", goal_of("a: send 8b to 1 tag 3\n"
                                "b: calc 100\n"
                                "c: recv 16b from 1 tag 4 cpu 0 nic 0\n"
                                "d : send 4b to 1\n"
                                "d requires c\n"
                                "e: calc 50 cpu 0\n"
                                "e irequires d\n",
                                "// a comment\nrecv 8b from 0 tag 3 /* and\nanother */\nsend 16b to 0 tag 4\n"
                                "recv 4b from 0\n"));
  const Trace trace = files.read("a.goal");
  REQUIRE(trace.size() == 2);
  CHECK(ops_of(trace, 0) == Texts{"isend 1 3 8", "irecv 1 4 16", "compute 100",
                                  "wait for the message from rank 1, tag 4", "isend 1 0 4", "compute 50",
                                  "waitall 2"});
  CHECK(ops_of(trace, 1) == Texts{"irecv 0 3 8", "isend 0 4 16", "irecv 0 0 4", "waitall 3"});
  check_ranks(trace);
  const TraceCount count = count_of(trace);
  CHECK(count.messages == 3);
  CHECK(count.message_bytes == 28);
  CHECK(trace.place_of(0, 3).find("a.goal:4") != std::string::npos);
}

TEST_CASE("GOAL: a wait for a message includes older ones of its kind, each once") {
  Files files("goal");
  files.write("a.goal", goal_of("a: recv 1b from 1\nb: recv 2b from 1\nc: recv 3b from 1\n"
                                "d: calc 5\nd requires b\ne: calc 6\ne requires a\nf: calc 7\nf requires c\n",
                                "send 1b to 0\nsend 2b to 0\nsend 3b to 0\n"));
  const std::string wait = "wait for the message from rank 1, tag 0";
  CHECK(ops_of(files.read("a.goal"), 0) == Texts{"irecv 1 0 1", "irecv 1 0 2", "irecv 1 0 3", wait,
                                                 "compute 6", wait, "compute 5", wait, "compute 7"});
  files.write("b.goal",
              goal_of("a: recv 1b from 1\nb: recv 2b from 1\nd: calc 5\nd requires b\nd requires a\n",
                      "send 1b to 0\nsend 2b to 0\n"));
  CHECK(ops_of(files.read("b.goal"), 0) == Texts{"irecv 1 0 1", "irecv 1 0 2", wait, wait, "compute 5"});
}

TEST_CASE("GOAL: LogGOPSim's binomial tree has the messages of its file") {
  Files files("goal");
  for (const unsigned ranks : {1U, 2U, 32U, 33U}) {
    files.write("tree.goal", binomial_tree_goal(ranks));
    const Trace trace = files.read("tree.goal");
    check_ranks(trace);
    CHECK(trace.size() == ranks);
    CHECK(count_of(trace).messages == ranks - 1);
    CHECK(count_of(trace).message_bytes == ranks - 1);
  }
}

TEST_CASE("GOAL: ranks without a block do nothing") {
  Files files("goal");
  files.write("a.goal", "num_ranks 4\nrank 1 {\nsend 1b to 3\n}\nrank 3 {\nrecv 1b from 1\n}\n");
  const Trace trace = files.read("a.goal");
  CHECK(trace.size() == 4);
  CHECK(ops_of(trace, 0).empty());
  CHECK(ops_of(trace, 2).empty());
  CHECK(ops_of(trace, 3).size() == 2);
}

TEST_CASE("GOAL: what a replay cannot play is refused with its line") {
  Files files("goal");
  const auto refused = [&](const std::string& text) { return files.refused("a.goal", text); };
  using Catch::Contains;
  CHECK_THAT(refused(goal_of("a: calc 1\nb: calc 1\nc: calc 2\nb requires c\nc requires b\n")),
             Contains("a.goal:4") && Contains("lines 4, 5") && Contains("circle"));
  CHECK_THAT(refused(goal_of("a: recv 1b from 1\na irequires a\n")),
             Contains("a.goal:3") && Contains("circle"));
  CHECK_THAT(refused(goal_of("a: put 8b to 1\n")), Contains("a.goal:3:4") && Contains("unknown operation"));
  CHECK_THAT(refused(goal_of("a: recv 8b from -1\n")), Contains("a.goal:3:17") && Contains("from any rank"));
  CHECK_THAT(refused(goal_of("a: recv 8b from 1 tag -1\n")), Contains("a.goal:3:23") && Contains("any tag"));
  CHECK_THAT(refused(goal_of("a: send 8b to 2\n")), Contains("a.goal:3:15") && Contains("0..1"));
  CHECK_THAT(refused(goal_of("a: send 8b to 1 cpu 1\n")), Contains("a.goal:3:21") && Contains("cpu 0"));
  CHECK_THAT(refused(goal_of("a: send 4294967296b to 1\n")),
             Contains("a.goal:3:9") && Contains("0..4294967295"));
  CHECK_THAT(refused(goal_of("a: send 8 to 1\n")), Contains("a.goal:3:4") && Contains("not a message"));
  CHECK_THAT(refused(goal_of("a: calc x\n")), Contains("a.goal:3:9") && Contains("nanoseconds"));
  CHECK_THAT(refused(goal_of("a: calc 5 tag 3\n")), Contains("a.goal:3:11") && Contains("not a clause"));
  CHECK_THAT(refused(goal_of("a: calc 5\na: calc 6\n")), Contains("a.goal:4:1") && Contains("already"));
  CHECK_THAT(refused(goal_of("a: calc 5\na requires b\n")),
             Contains("a.goal:4") && Contains("does not have"));
  CHECK_THAT(refused("rank 0 {\n}\n"), Contains("a.goal:1:1") && Contains("num_ranks"));
  CHECK_THAT(refused("num_ranks 1\nnum_ranks 2\n"), Contains("a.goal:2:1"));
  CHECK_THAT(refused("num_ranks 0\n"), Contains("a.goal:1:11") && Contains("1..65535"));
  CHECK_THAT(refused("num_ranks 1\ncalc 5\n"), Contains("a.goal:2:1") && Contains("outside a rank"));
  CHECK_THAT(refused("num_ranks 2\nrank 1 {\n}\nrank 0 {\n}\n"),
             Contains("a.goal:4:6") && Contains("ascending"));
  CHECK_THAT(refused("num_ranks 1\nrank 0 {\ncalc 5\n"), Contains("a.goal:4") && Contains("truncated"));
  CHECK_THAT(refused("num_ranks 1\nrank 0 {\nrank 0 {\n"),
             Contains("a.goal:3:1") && Contains("within a rank"));
  CHECK_THAT(refused("num_ranks 1\n}\n"), Contains("a.goal:2:1") && Contains("no rank to end"));
  CHECK_THAT(refused(""), Contains("a.goal:1") && Contains("num_ranks"));
  TraceLimits limits;
  limits.rank_flops = 10;
  limits.because = "why";
  CHECK_THAT(files.refused("a.goal", goal_of("calc 6\ncalc 5\n"), limits),
             Contains("a.goal:4:6") && Contains("at most 10") && Contains("why"));
  CHECK(files.refused("a.goal", goal_of("calc 6\n", "calc 6\n"), limits).empty());
}

TEST_CASE("DUMPI: calls become operations, and the time between them computing") {
  Files files("dumpi");
  files.write(
      "t-0000.txt",
      dumpi_rank(
          dumpi_call("MPI_Comm_rank", 2, world + "int rank=0\n") +
          dumpi_call("MPI_Isend", 5, dumpi_message("dest=1", 7) + "MPI_Request request=[2]\n") +
          dumpi_call("MPI_Recv", 6,
                     dumpi_message("source=1", 8, 3, "14 (MPI_DOUBLE)") + "MPI_Status status=<IGNORED>\n") +
          dumpi_call("MPI_Wait", 7, "MPI_Request request=[2]\nMPI_Status status=[{bytes=0, source=9}]\n") +
          dumpi_call("MPI_Allreduce", 8, "int count=5\nMPI_Datatype datatype=9 (MPI_INT)\n" + world) +
          dumpi_call("MPI_Bcast", 9, "int count=2\nMPI_Datatype datatype=9 (MPI_INT)\nint root=1\n" + world) +
          dumpi_call("MPI_Alltoallv", 10,
                     "int commsize=2\nint sendcounts[2]=[1, 2]\nint senddispls[2]=[0, 0]\n"
                     "MPI_Datatype sendtype=9 (MPI_INT)\nint recvcounts[2]=[1, 4]\nint "
                     "recvdispls[2]=[0, 0]\nMPI_Datatype recvtype=9 (MPI_INT)\n" +
                         world)));
  files.write(
      "t-0001.txt",
      dumpi_rank(
          dumpi_call("MPI_Irecv", 5, dumpi_message("source=0", 7) + "MPI_Request request=[2]\n") +
          dumpi_call("MPI_Ssend", 6, dumpi_message("dest=0", 8, 3, "14 (MPI_DOUBLE)")) +
          dumpi_call("MPI_Test", 7, "MPI_Request request=[2]\nint flag=0\n") +
          dumpi_call("MPI_Waitsome", 8,
                     "int count=2\nMPI_Request requests[2]=[0, 2]\nint outcount=1\nint indices[1]=[1]\n") +
          dumpi_call("MPI_Allreduce", 9, "int count=5\nMPI_Datatype datatype=9 (MPI_INT)\n" + world) +
          dumpi_call("MPI_Bcast", 10,
                     "int count=2\nMPI_Datatype datatype=9 (MPI_INT)\nint root=1\n" + world) +
          dumpi_call("MPI_Alltoallv", 11,
                     "int commsize=2\nint sendcounts[2]=[4, 3]\nint senddispls[2]=[0, 0]\n"
                     "MPI_Datatype sendtype=9 (MPI_INT)\nint recvcounts[2]=[2, 3]\nint "
                     "recvdispls[2]=[0, 0]\nMPI_Datatype recvtype=9 (MPI_INT)\n" +
                         world)));
  const Trace trace = files.read("t-0000.txt");
  REQUIRE(trace.size() == 2);
  check_ranks(trace);
  CHECK(ops_of(trace, 0) == Texts{"compute 1000", "compute 2000", "isend 1 7 4", "recv 1 8 24",
                                  "wait for the message to rank 1, tag 7", "allreduce 20", "bcast 8, root 1",
                                  "alltoallv", "compute 889000"});
  CHECK(ops_of(trace, 1) == Texts{"compute 4000", "irecv 0 7 4", "send 0 8 24",
                                  "wait for the message from rank 0, tag 7", "allreduce 20",
                                  "bcast 8, root 1", "alltoallv", "compute 888000"});
  CHECK(count_of(trace).messages == 2);
  CHECK(count_of(trace).message_bytes == 28);
  CHECK(trace.bytes_to(trace.ranks[0][8])[1] == 8);
  CHECK(trace.bytes_from(trace.ranks[0][8])[1] == 16);
  CHECK(trace.place_of(1, 2).find("t-0001.txt:7") != std::string::npos);
}

TEST_CASE("DUMPI: waits, exchanges and requests that remain open") {
  Files files("dumpi");
  const auto begin = [](const std::string& name, const std::string& peer, unsigned tag, unsigned request) {
    return dumpi_call(
        name, 1, dumpi_message(peer, tag) + "MPI_Request request=[" + std::to_string(request) + "]\n", 0);
  };
  const auto rank = [](const std::string& calls) {
    return dumpi_call("MPI_Init", 0, "", 1) + calls + dumpi_call("MPI_Finalize", 1);
  };
  const std::string exchange =
      "int sendcount=1\nMPI_Datatype sendtype=9 (MPI_INT)\nint dest=0\nint sendtag=1\nint "
      "recvcount=2\nMPI_Datatype "
      "recvtype=9 (MPI_INT)\nint source=0\nint recvtag=1\n" +
      world;
  files.write(
      "t0", rank(begin("MPI_Irecv", "source=0", 4, 5) + begin("MPI_Isend", "dest=0", 4, 6) +
                 dumpi_call("MPI_Waitall", 1, "int count=2\nMPI_Request requests[2]=[5, 6]\n", 0) +
                 dumpi_call("MPI_Sendrecv", 1, exchange, 0) + begin("MPI_Isend", "dest=0", 4, 6) +
                 begin("MPI_Irecv", "source=0", 4, 7) +
                 dumpi_call("MPI_Testall", 1, "int count=1\nMPI_Request requests[1]=[6]\nint flag=1\n", 0)));
  CHECK(ops_of(files.read("t0"), 0) == Texts{"irecv 0 4 4", "isend 0 4 4", "waitall 2", "irecv 0 1 8",
                                             "isend 0 1 4", "waitall 2", "isend 0 4 4", "irecv 0 4 4",
                                             "wait for the message from rank 0, tag 4",
                                             "wait for the message from rank 0, tag 4"});
}

TEST_CASE("DUMPI: what a replay cannot play is refused with its line") {
  Files files("dumpi");
  using Catch::Contains;
  const auto refused = [&](const std::string& calls) { return files.refused("t0.txt", dumpi_rank(calls)); };
  CHECK_THAT(refused(dumpi_call("MPI_Put", 5)),
             Contains("t0.txt:7") && Contains("MPI_Put") && Contains("does not know"));
  CHECK_THAT(refused(dumpi_call("MPI_Recv", 5, dumpi_message("source=-1 (MPI_ANY_SOURCE)", 1))),
             Contains("t0.txt:10") && Contains("from any rank"));
  CHECK_THAT(refused(dumpi_call("MPI_Send", 5, dumpi_message("dest=1", 1))),
             Contains("t0.txt:10") && Contains("0..0"));
  CHECK_THAT(refused(dumpi_call("MPI_Send", 5, dumpi_message("dest=0", 1, 1, "30 (user-defined-datatype)"))),
             Contains("t0.txt:9") && Contains("datatype"));
  CHECK_THAT(refused(dumpi_call("MPI_Barrier", 5, "MPI_Comm comm=5 (user-defined-comm)\n")),
             Contains("t0.txt:8") && Contains("MPI_COMM_WORLD"));
  CHECK_THAT(refused(dumpi_call("MPI_Barrier", 5)), Contains("t0.txt:7") && Contains("no parameter comm"));
  CHECK_THAT(refused(dumpi_call("MPI_Send", 5, dumpi_message("dest=0", 1, 2000000000))),
             Contains("t0.txt:8") && Contains("too many bytes"));
  CHECK_THAT(refused(dumpi_call("MPI_Waitall", 5, "int count=1\nMPI_Request requests[1]=<IGNORED>\n")),
             Contains("t0.txt:9") && Contains("not a list"));
  CHECK_THAT(refused(dumpi_call("MPI_Comm_size", 0)), Contains("t0.txt:7") && Contains("backwards"));
  CHECK_THAT(files.refused("t0.txt", dumpi_call("MPI_Init", 0)),
             Contains("t0.txt:3") && Contains("MPI_Finalize"));
  const std::string init = dumpi_call("MPI_Init", 0);
  CHECK_THAT(files.refused("t0.txt", init.substr(0, init.find("MPI_Init returning"))),
             Contains("within MPI_Init"));
  CHECK_THAT(files.refused("t0.txt", "MPI_Init entering at walltime now, x\n"), Contains("t0.txt:1:31"));
  CHECK_THAT(files.refused("trace.txt", "\n"), Contains("rank 0") && Contains("trace-0000.txt"));
  CHECK_THAT(files.refused("t1.txt", "\n"), Contains("not the file of rank 0"));
}

TEST_CASE("Chakra: nodes in the order of their dependencies") {
  Files files("chakra");
  const auto graph = [](const std::string& nodes) {
    return "{\"workload_name\": \"x\", \"workload_graph\": [\n" + nodes + "], \"ngpus\": 2}\n";
  };
  files.write(
      "c.0.json",
      graph("{\"Id\": 9, \"NodeType\": 7, \"comm_type\": 0, \"comm_size\": 1000, \"data_deps\": [4]},\n"
            "{\"Id\": 4, \"NodeType\": 4, \"runtime\": 2.5, \"data_deps\": [], \"ctrlDeps\": [77]},\n"
            "{\"Id\": 5, \"NodeType\": 5, \"comm_dst\": 1, \"comm_tag\": 3, \"comm_size\": 64, "
            "\"data_deps\": [9]},\n"
            "{\"Id\": 1, \"NodeType\": 1}\n"));
  files.write("c.1.json",
              graph("{\"Id\": 1, \"NodeType\": 7, \"comm_type\": 0, \"comm_size\": 1000},\n"
                    "{\"Id\": 2, \"NodeType\": 6, \"comm_src\": 0, \"comm_tag\": 3, \"comm_size\": 64, "
                    "\"data_deps\": [1]}\n"));
  const Trace trace = files.read("c.0.json");
  REQUIRE(trace.size() == 2);
  check_ranks(trace);
  CHECK(ops_of(trace, 0) ==
        Texts{"compute 2500", "allreduce 1000", "isend 1 3 64", "compute 0", "waitall 1"});
  CHECK(ops_of(trace, 1) == Texts{"allreduce 1000", "irecv 0 3 64", "waitall 1"});
  CHECK(count_of(trace).messages == 1);
  CHECK(trace.place_of(0, 1).find("c.0.json:3") != std::string::npos);
  // Other members of the file and of a node, whatever they hold, have no effect.
  files.write("e.0.json",
              "{\"other\": [{\"Id\": 5}, 6], \"more\": {\"workload_graph\": [3]},\n" +
                  graph("{\"Id\": 1, \"attr\": [{\"type\": 2, \"data_deps\": [1]}], \"NodeType\": 4, "
                        "\"runtime\": 1, \"Name\": \"x\"}\n")
                      .substr(1));
  CHECK(ops_of(files.read("e.0.json"), 0) == Texts{"compute 1000"});
  files.write("d.0.json", graph("{\"Id\": 1, \"NodeType\": 7, \"comm_type\": 6, \"comm_size\": 1000},\n"
                                "{\"Id\": 2, \"NodeType\": 7, \"comm_type\": 9},\n"
                                "{\"Id\": 3, \"NodeType\": 7, \"comm_type\": 5, \"comm_size\": 10},\n"
                                "{\"Id\": 4, \"NodeType\": 7, \"comm_type\": 1, \"comm_size\": 10},\n"
                                "{\"Id\": 5, \"NodeType\": 7, \"comm_type\": 2, \"comm_size\": 10},\n"
                                "{\"Id\": 6, \"NodeType\": 7, \"comm_type\": 7, \"comm_size\": 10}"));
  CHECK(ops_of(files.read("d.0.json"), 0) == Texts{"alltoall 1000", "barrier", "bcast 10, root 0",
                                                   "reduce 10, root 0", "alltoall 10", "alltoall 10"});
}

TEST_CASE("Chakra: what a replay cannot play is refused with its line") {
  Files files("chakra");
  using Catch::Contains;
  const auto refused = [&](const std::string& nodes) {
    return files.refused("c.0.json", "{\n\"workload_graph\": [\n" + nodes + "]}\n");
  };
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 2}"), Contains("c.0.json:3") && Contains("node type"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 4},\n{\"Id\": 1, \"NodeType\": 4}"),
             Contains("c.0.json:4") && Contains("again"));
  CHECK_THAT(refused("{\"Id\": 1}"), Contains("c.0.json:3") && Contains("without type"));
  CHECK_THAT(refused("{\"NodeType\": 4}"), Contains("c.0.json:3") && Contains("without id"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 7, \"comm_type\": 3, \"comm_size\": 8}"),
             Contains("c.0.json:3") && Contains("collective"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 7}"), Contains("without comm_type"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 5, \"comm_dst\": 1, \"comm_size\": 8}"),
             Contains("comm_dst") && Contains("0..0"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 4, \"runtime\": -1}"),
             Contains("c.0.json:3") && Contains("runtime"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 4, \"data_deps\": [2]},\n{\"Id\": 2, \"NodeType\": 4, "
                     "\"data_deps\": [1]}"),
             Contains("c.0.json:3") && Contains("circle"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 4, \"data_deps\": 3}"), Contains("list of dependencies"));
  for (const char* dependencies : {"{\"a\": 1}", "[[1]]", "[1.5]", "[-1]", "[null]", "\"1\""})
    CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 4, \"data_deps\": " + std::string(dependencies) + "}"),
               Contains("c.0.json:3") && (Contains("list of dependencies") || Contains("not a node's Id")));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 5, \"comm_dst\": [0], \"comm_size\": 8}"),
             Contains("c.0.json:3") && Contains("comm_dst"));
  CHECK_THAT(refused("7"), Contains("c.0.json:3") && Contains("not a node"));
  CHECK_THAT(refused("[]"), Contains("c.0.json:3") && Contains("not a node"));
  CHECK_THAT(refused("{\"Id\": 1, \"NodeType\": 4,\n"), Contains("c.0.json:4") && Contains("malformed JSON"));
  CHECK_THAT(files.refused("c.0.json", "{\"nodes\": []}"), Contains("workload_graph"));
}
