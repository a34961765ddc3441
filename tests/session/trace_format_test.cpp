// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"
#include "tsuji/session/network_main.h"
#include "tsuji/workload/trace_check.h"

using namespace tsuji;

namespace {

/// A file with a number of ranks, each of which sends to the next one.
struct Ring {
  unsigned bytes = 64;

  void add_keys(config::KeyTable& keys) {
    keys.add("workload.ring_bytes", bytes, {1, 4096}, "bytes", "message of a rank of a ring");
  }
  void validate() const {
    if (bytes % 4 != 0) throw ConfigError("workload.ring_bytes", std::to_string(bytes), "no words", "words");
  }
  workload::Trace make(const workload::TraceFile& file) const {
    unsigned ranks = 0, wrong_peer = 0;
    std::ifstream in(file.path);
    if (!(in >> ranks)) throw ConfigError("workload.trace", file.path, "not a ring", "a number of ranks");
    const bool has_wrong_peer = static_cast<bool>(in >> wrong_peer);
    workload::Trace trace;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      workload::TraceOp send, receive, end;
      send.kind = workload::TraceOpKind::send;
      receive.kind = workload::TraceOpKind::recv;
      end.kind = workload::TraceOpKind::finalize;
      send.value = receive.value = bytes;
      send.peer = static_cast<std::uint16_t>((rank + 1) % ranks);
      receive.peer = static_cast<std::uint16_t>((rank + ranks - 1) % ranks);
      if (has_wrong_peer && rank == 1) receive.peer = static_cast<std::uint16_t>(wrong_peer);
      trace.ranks.push_back(workload::RankOps({workload::TraceOp(), send, receive, end}));
    }
    return trace;
  }
};

int run(const std::string& out, const std::string& file, const std::vector<std::string>& more = {}) {
  session::NetworkProgram program;
  program.add_kinds = [](session::NetworkRunConfig& config) {
    config.workload.trace_formats.add<Ring>("ring");
  };
  std::vector<std::string> words = {"rings", "--quiet", "--out", out};
  std::vector<std::string> settings = {"topology.radices=[2, 2]", "workload.kind=trace",
                                       "workload.trace=" + file};
  settings.insert(settings.end(), more.begin(), more.end());
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return session::network_main(static_cast<int>(argv.size()), argv.data(), program);
}

}  // namespace

TEST_CASE("a trace format of a program's own is chosen by a key, and has keys") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("ring")) << "3\n";
  REQUIRE(run(folder.file("out"), folder.file("ring"),
              {"workload.trace_format=ring", "workload.ring_bytes=100"}) == 0);
  const nlohmann::json metrics = nlohmann::json::parse(folder.text("out/result.json"))["metrics"];
  CHECK(metrics["trace_messages"]["value"] == 3);
  CHECK(metrics["trace_message_bytes"]["value"] == 300);
}

TEST_CASE("a file that a trace format does not read is refused, and so are its keys with another format") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("ring")) << "3\n";
  std::ofstream(folder.file("none")) << "x\n";
  CHECK(run(folder.file("out"), folder.file("none"), {"workload.trace_format=ring"}) == 2);
  CHECK(run(folder.file("out"), folder.file("ring")) == 2);
  CHECK(run(folder.file("out"), folder.file("ring"), {"workload.ring_bytes=100"}) == 2);
  CHECK(run(folder.file("out"), folder.file("ring"),
            {"workload.trace_format=ring", "workload.ring_bytes=99"}) == 2);
  // The trace that comes with Tsuji has its own format.
  CHECK(run(folder.file("out"), "", {"workload.trace_format=ring"}) == 2);
}

TEST_CASE("a trace format of a program's own cannot name ranks or counts that there are not") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("peer")) << "3 3\n";
  std::ofstream(folder.file("empty")) << "0\n";
  CHECK(run(folder.file("out"), folder.file("peer"), {"workload.trace_format=ring"}) == 2);
  CHECK(run(folder.file("out"), folder.file("empty"), {"workload.trace_format=ring"}) == 2);

  workload::Trace trace;
  workload::TraceOp all_to_all;
  all_to_all.kind = workload::TraceOpKind::alltoallv;
  trace.ranks.push_back(workload::RankOps({workload::TraceOp(), all_to_all}));
  trace.counts = {0};
  CHECK_THROWS_WITH(workload::check_ranks(trace), Catch::Contains("operation 1 of rank 0") &&
                                                      Catch::Contains("there are no such counts") &&
                                                      Catch::Contains("2 counts for each alltoallv"));
  trace.counts = {0, 0};
  CHECK_NOTHROW(workload::check_ranks(trace));
}
