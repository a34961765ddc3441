// SPDX-License-Identifier: Apache-2.0
#include "readers.h"

#include <zstd.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/print.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/workload/packet_list.h"
#include "tsuji/workload/trace.h"
#include "tsuji/workload/trace_formats.h"
#include "tsuji/workload/traffic_matrix.h"

namespace tsuji::fuzz {
namespace {

constexpr unsigned nodes = 8;

/// A key of every type.
struct Settings {
  unsigned small = 3;
  std::uint64_t large = 7;
  double number = 0.5;
  bool flag = true;
  std::string text = "plain";
  std::vector<unsigned> list = {1, 2};
  int word = 0;

  void add_to(config::KeyTable& keys) {
    keys.add("seed", large, {0, ~0ULL}, "", "a large one");
    keys.add("network.nodes", small, {2, 1024}, "nodes", "a small one");
    keys.add("network.load", number, {0.0, 1.0}, "", "a number");
    keys.add("network.deep.flag", flag, "a flag");
    keys.add("network.deep.radices", list, {2, 32768}, {1, 8}, "", "a list");
    keys.add("traffic.file", text, "a text");
    keys.add_choice("traffic.kind", word, {{"uniform", 0}, {"transpose", 1}, {"list", 2}}, "a word");
    keys.only_with("traffic.file", {{"traffic.kind", {"list"}}});
  }
};

std::string read_yaml(const std::string& content, const std::string& path) {
  Settings settings;
  config::KeyTable keys;
  settings.add_to(keys);
  config::read_yaml_text(keys, content, path);
  keys.refuse_idle();
  return keys.print("again");
}

std::string read_yaml_file(const std::string&, const std::string& path) {
  Settings settings;
  config::KeyTable keys;
  settings.add_to(keys);
  config::read_yaml_file(keys, path);
  return keys.print("again") + keys.json().dump();
}

std::string read_assignment(const std::string& content, const std::string&) {
  Settings settings;
  config::KeyTable keys;
  settings.add_to(keys);
  keys.set_from_command_line(content);
  keys.refuse_idle();
  return keys.print("again");
}

std::string read_topology(const std::string& content, const std::string& path) {
  std::istringstream text(content);
  std::ostringstream shown;
  graph::print_json(graph::read_topology(text, path, 2), shown);
  return shown.str();
}

std::string read_topology_file(const std::string&, const std::string& path) {
  std::ostringstream shown;
  graph::print_dot(graph::read_topology_file(path, 2), shown);
  return shown.str();
}

std::string read_list(const std::string&, const std::string& path) {
  std::string shown;
  const auto lists = workload::read_packet_list(path, nodes);
  for (std::size_t source = 0; source < lists.size(); ++source) {
    for (const workload::ListedPacket& packet : lists[source])
      shown += std::to_string(packet.created) + " " + std::to_string(source) + " " +
               std::to_string(packet.destination) + " " + std::to_string(packet.flits) + "\n";
  }
  return shown;
}

std::string read_matrix(const std::string&, const std::string& path) {
  const workload::TrafficMatrix matrix(path, {nodes, true, false, {}});
  std::string shown;
  for (NodeId source = 0; source < nodes; ++source) {
    shown += std::to_string(matrix.share(source)) + ":";
    for (double unit = 0; unit < 1 && matrix.share(source) > 0; unit += 0.13)
      shown += " " + std::to_string(matrix.destination(source, unit));
    shown += "\n";
  }
  return shown;
}

std::string read_trace(const std::string&, const std::string& path) {
  std::ostringstream shown;
  workload::write_trace(workload::read_trace(path, {1'000'000'000'000, "a limit"}), shown);
  return shown.str();
}

/// A reader of another tool's trace; the text is that of the TI trace.
auto foreign_trace(const std::string& format) {
  return [format](const std::string&, const std::string& path) {
    std::ostringstream shown;
    workload::write_trace(workload::trace_formats().make(format, {path, {1'000'000'000'000, "a limit"}}),
                          shown);
    return shown.str();
  };
}

const std::vector<std::string> yaml_seeds = {
    "seed: 5\nnetwork:\n  nodes: 16\n  load: 0.25\n  deep:\n    flag: false\n    radices: [4, 4]\n",
    "# a comment\ntraffic:\n  kind: list\n  file: \"a \\\"quoted\\\" \\x41 path\"\nnetwork: {nodes: 4, deep: "
    "{radices: [2]}}\n",
    "---\nseed: 0xff\nnetwork:\n  deep:\n    radices:\n      - 3\n      - 5\n...\n",
    "traffic:\n  file: >\n    folded\n    text\n  kind: list\n",
};

const std::vector<std::string> yaml_words = {
    "seed", "network", "nodes", "deep",   "radices", "traffic", "file",
    "kind", "&a",      "*a",    "<<: *a", "!!int",   "---",     "...",
    "|",    ">",       "? ",    "- ",     "[",       "]",       "{",
    "}",    "null",    "~",     "true",   "%YAML",   "\"",      "network.nodes",
    ": ",   "'"};

const std::vector<std::string> topology_seeds = {
    "router 0 ports 6 at 0 2\nlink 0 1\nlink 0.3 2.0 latency 5\nlink 2 1 one-way\nnode 0 at 0\nnode 1 in 1 "
    "out 2.2\n",
    "# a ring\nlink 0 1 latency 3\nlink 1 2\nlink 2 0 latency 2 one-way\nnode 0 at 0\nnode 1 at 1.3\nnode 2 "
    "at 2\nrouter 1 ports 4\n",
};

const std::vector<std::string> trace_seeds = {
    "0 init\n0 compute 1000\n0 isend 1 7 4096 6\n0 irecv 1 7 512 6\n0 waitall 2\n0 barrier\n0 finalize\n"
    "1 init\n1 irecv 0 7 4096 6\n1 send 0 7 512 6\n1 wait 0 1 7\n1 compute 5e3\n1 barrier\n1 finalize\n",
    "# a comment\n0 init\n# roi_begin\n0 bcast 3000 1 6\n0 reduce 264 0 1 6\n0 allreduce 24 0 6\n0 alltoall "
    "72 72 6 6\n"
    "0 alltoallv 30 10 20 12 4 8 6 6\n# roi_end\n0 finalize\n1 init\n1 bcast 3000 1 6\n1 reduce 264 0 1 6\n"
    "1 allreduce 24 0 6\n1 alltoall 72 72 6 6\n1 alltoallv 12 4 8 30 20 10 6 6\n1 finalize\n",
};

const std::vector<std::string> trace_words = {
    "init",    "finalize", "compute", "send",   "isend",     "recv",     "irecv",     "wait",
    "waitall", "barrier",  "bcast",   "reduce", "allreduce", "alltoall", "alltoallv", "# roi_begin"};

const std::vector<std::string> goal_seeds = {
    "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 3\nb: calc 100\nc: recv 16b from 1 tag 4 cpu 0 nic 0\nd : "
    "send 4b "
    "to 1\nd requires c\ne: calc 50 cpu 0\ne irequires d\n}\nrank 1 {\n// a comment\nrecv 8b from 0 tag 3 /* "
    "and\n"
    "another */\nsend 16b to 0 tag 4\nrecv 4b from 0\n}\n",
    "num_ranks 3\nrank 0 {\nl1: recv 1b from 0\nl2: send 1b to 0\nl3: recv 2b from 2\nl2 requires l4\nl4: "
    "calc "
    "7\nl3 requires l1\n}\nrank 2 {\nl1: send 2b to 0\n}\n",
};

const std::vector<std::string> goal_words = {"num_ranks", "rank", "calc",     "send",      "recv", "to",
                                             "from",      "tag",  "requires", "irequires", "cpu",  "nic",
                                             "{",         "}",    "//",       "/*"};

std::string dumpi_call(const std::string& name, unsigned us, const std::string& parameters = "") {
  const auto time = [](unsigned at) {
    return "1296777956.000" + std::to_string(at) + "000, cputime 0.000000000 seconds in thread 0.\n";
  };
  return name + " entering at walltime " + time(us) + parameters + name + " returning at walltime " +
         time(us + 1);
}

std::vector<std::string> dumpi_seeds() {
  const std::string world = "MPI_Comm comm=2 (MPI_COMM_WORLD)\n",
                    to = "MPI_Datatype datatype=9 (MPI_INT)\nint dest=0\n",
                    request = "MPI_Request request=[5]\n";
  const std::string calls =
      dumpi_call("MPI_Isend", 120, "int count=1\n" + to + "int tag=7\n" + world + request) +
      dumpi_call("MPI_Irecv", 140,
                 "int count=4\nMPI_Datatype datatype=9 (MPI_INT)\nint source=0\nint tag=7\n" + world +
                     "MPI_Request request=[6]\n") +
      dumpi_call("MPI_Waitall", 160,
                 "int count=2\nMPI_Request requests[2]=[5, 6]\nMPI_Status statuses[2]=<IGNORED>\n") +
      dumpi_call("MPI_Bcast", 180, "int count=3\nMPI_Datatype datatype=9 (MPI_INT)\nint root=0\n" + world) +
      dumpi_call("MPI_Barrier", 200, world);
  return {"version=1.0.0\nmeshdim=0\n" +
          dumpi_call("MPI_Init", 100, "int argc=1\nstring argv[1]=[\"./mpi\"]\n") + calls +
          dumpi_call("MPI_Finalize", 900) + "MPI_Send called 0 times and ignored 0 times\n"};
}

const std::vector<std::string> dumpi_words = {
    "MPI_Send",      "MPI_Recv", "MPI_Wait",  "MPI_Waitall",   "MPI_Allreduce", "MPI_Reduce",
    "MPI_Alltoallv", "entering", "returning", "MPI_Comm comm", "at walltime",   "MPI_Request request=",
    "int count=",    "int tag=", "[1, 2]",    "MPI_Sendrecv",  "MPI_Comm_rank", "MPI_Alltoall"};

/// A graph as Chakra's converters write it, one of every node and collective, and one with texts of JSON.
const std::vector<std::string> chakra_seeds = {
    R"({"workload_name": "x", "workload_graph": [
{"Id": 9, "NodeType": 7, "comm_type": 0, "comm_size": 1000, "data_deps": [4]},
{"Id": 4, "NodeType": 4, "runtime": 2.5, "data_deps": [], "ctrlDeps": [77]},
{"Id": 5, "NodeType": 5, "comm_dst": 0, "comm_tag": 3, "comm_size": 64, "data_deps": [9]},
{"id": 6, "type": 6, "comm_src": 0, "comm_tag": 3, "comm_size": 64},
{"Id": 1, "NodeType": 1}
], "ngpus": 2}
)",
    R"({"workload_graph": [
{"id": 0, "type": 7, "comm_type": 1, "comm_size": 8},
{"id": 1, "type": 7, "comm_type": 2, "comm_size": 8, "data_deps": [0]},
{"id": 2, "type": 7, "comm_type": 5, "comm_size": 8, "ctrl_deps": [1, 0]},
{"id": 3, "type": 7, "comm_type": 6, "comm_size": 8, "ctrl_deps": [2]},
{"id": 4, "type": 7, "comm_type": 7, "comm_size": 8, "ctrl_deps": [3]},
{"id": 5, "type": 7, "comm_type": 9, "ctrl_deps": [4]}
]}
)",
    R"({"workload_graph": [{"Id": 0, "NodeType": 5, "comm_dst": 0, "comm_size": 5000000000},
{"Id": 1, "NodeType": 6, "comm_src": 0, "comm_size": 5000000000},
{"Id": 2, "NodeType": 4, "runtime": 7, "data_deps": [0, 1]}]})",
    "{\"schema\": {\"version\": [1, null, true]}, \"workload_graph\": [{\"Id\": 18446744073709551615, "
    "\"name\": \"a\\u00e9\\n\", \"NodeType\": 4, \"runtime\": 1e3, \"attr\": [{\"name\": \"is_cpu_op\", "
    "\"bool_val\": false}], \"inputs\": {\"values\": [[1, 2], []]}}], \"tail\": -1}"};

const std::vector<std::string> chakra_words = {"\"workload_graph\"",
                                               "\"Id\"",
                                               "\"id\"",
                                               "\"NodeType\"",
                                               "\"type\"",
                                               "\"runtime\"",
                                               "\"comm_type\"",
                                               "\"comm_size\"",
                                               "\"comm_dst\"",
                                               "\"comm_src\"",
                                               "\"comm_tag\"",
                                               "\"data_deps\"",
                                               "\"ctrl_deps\"",
                                               "\"ctrlDeps\"",
                                               "[",
                                               "]",
                                               "{",
                                               "}",
                                               ": ",
                                               ", ",
                                               "null",
                                               "true",
                                               "\"\\u00e9\"",
                                               "-1",
                                               "0.5",
                                               "1e400",
                                               "18446744073709551616"};

/// Three packets of netrace: a header of 72 bytes, no notes; the second depends on the first.
std::vector<std::string> netrace_seeds() {
  const auto number = [](std::uint64_t value, unsigned bytes) {
    std::string text;
    for (; bytes-- != 0; value >>= 8) text += static_cast<char>(value & 0xFF);
    return text;
  };
  std::string text = number(0x484A5455, 4) + number(0x3F800000, 4) + std::string(30, 'n') + number(4, 2) +
                     number(100, 8) + number(3, 8) + number(2, 4) + number(1, 4) +
                     std::string(8 + 2 + 24, '\0');
  const auto packet = [&](unsigned cycle, unsigned id, const std::string& bytes) {
    text += number(cycle, 8) + number(id, 4) + number(0, 4) + bytes;
  };
  packet(1, 0, std::string({1, 0, 1, 2, 1}) + number(1, 4));
  packet(5, 1, std::string({2, 1, 0, 2, 0}));
  packet(9, 2, std::string({6, 3, 3, 2, 0}));
  return {text};
}

}  // namespace

std::string compressed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::vector<InputReader> input_readers() {
  const std::vector<std::string> assignments = {"seed=5",
                                                "network.nodes=16",
                                                "network.load=0.25",
                                                "network.deep.radices=[4,4]",
                                                "network.deep.radices=2,3",
                                                "network.deep.flag=false",
                                                "traffic.kind=transpose"};
  const std::vector<std::string> list_seeds = {"0 0 1 4\n5 1 2 1\n5 0 7 65535 # the largest\n\n9 3 3 2\n"};
  const std::vector<std::string> matrix_seeds = {"# rates\n0 1 2.5\n1 0 1e-3\n7 3 0\n3 3 4\n2 5 1\n"};
  const std::vector<std::string> topology_words = {"router", "link", "node",    "ports",   "at",
                                                   "in",     "out",  "latency", "one-way", "."};
  return {
      {"yaml text", read_yaml, yaml_seeds, yaml_words, true, false, true},
      {"yaml file", read_yaml_file, yaml_seeds, yaml_words, false, false, true},
      {"command line", read_assignment, assignments, yaml_words, false, false, false},
      {"topology text", read_topology, topology_seeds, topology_words, false, false, true},
      {"topology file", read_topology_file, topology_seeds, topology_words, false, false, true},
      {"packet list", read_list, list_seeds, {"#", "-"}, true, false, true},
      {"packet list, zstd", read_list, list_seeds, {"#", "-"}, true, true, true},
      {"traffic matrix", read_matrix, matrix_seeds, {"#", "-"}, false, false, true},
      {"traffic matrix, zstd", read_matrix, matrix_seeds, {"#", "-"}, false, true, true},
      {"trace", read_trace, trace_seeds, trace_words, true, false, true},
      {"trace, zstd", read_trace, trace_seeds, trace_words, true, true, true},
      {"goal", foreign_trace("goal"), goal_seeds, goal_words, false, false, true},
      {"dumpi", foreign_trace("dumpi"), dumpi_seeds(), dumpi_words, false, false, true},
      {"chakra", foreign_trace("chakra"), chakra_seeds, chakra_words, false, false, true},
      {"netrace", foreign_trace("netrace"), netrace_seeds(), {"BZh"}, false, false, true},
  };
}

}  // namespace tsuji::fuzz
