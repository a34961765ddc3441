// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "own_kinds.h"
#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"
#include "tsuji/session/network_main.h"
#include "tsuji/workload/trace_check.h"

using namespace tsuji;

namespace {

/// Each of three ranks sends to the next one, in the format of platforms/example.
const char* const ring = "0 send 1\n0 recv 2\n1 send 2\n1 recv 0\n2 send 0\n2 recv 1\n";

int run(const std::string& out, const std::string& file, const std::vector<std::string>& more = {}) {
  session::NetworkProgram program;
  program.add_kinds = [](session::NetworkRunConfig& config) {
    example::add_messages(config.workload.trace_formats);
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

TEST_CASE("a custom trace format is chosen by a key, and has keys") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("messages")) << ring;
  REQUIRE(run(folder.file("out"), folder.file("messages"),
              {"workload.trace_format=messages", "workload.message_bytes=100"}) == 0);
  const nlohmann::json metrics = nlohmann::json::parse(folder.text("out/result.json"))["metrics"];
  CHECK(metrics["trace_messages"]["value"] == 3);
  CHECK(metrics["trace_message_bytes"]["value"] == 300);

  workload::TraceFormats formats;
  example::add_messages(formats);
  const workload::Trace trace = formats.make("messages", {folder.file("messages"), {}});
  std::string ops;
  for (const workload::TraceOp& op : trace.ranks.at(1)) ops += text_of(op) + ", ";
  CHECK(ops == "init, send 2 0 64, recv 0 0 64, finalize, ");
}

TEST_CASE("a file in another format is refused, and so are the format's keys with another format") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("messages")) << ring;
  const auto status = [&](const std::string& file, const std::vector<std::string>& more) {
    return run(folder.file("out"), file, more);
  };
  const std::string format = "workload.trace_format=messages";
  std::ofstream(folder.file("wrong")) << ring << "x\n";
  CHECK(status(folder.file("wrong"), {format}) == 2);
  CHECK(status(folder.file("missing"), {format}) == 2);
  CHECK(status(folder.file("messages"), {}) == 2);
  CHECK(status(folder.file("messages"), {"workload.message_bytes=100"}) == 2);
  CHECK(status(folder.file("messages"), {format, "workload.message_bytes=99"}) == 2);
  // The trace that comes with Tsuji has another format.
  CHECK(status("", {format}) == 2);
}

TEST_CASE("a wrong line of a custom trace format is refused with its place") {
  workload::TraceFormats formats;
  example::add_messages(formats);
  const test::TemporaryFolder folder;
  for (const char* line : {"x", "0 sends 1", "0 send", "0 send 65535", "65535 send 0"}) {
    CAPTURE(line);
    std::ofstream(folder.file("wrong")) << ring << line << '\n';
    CHECK_THROWS_WITH(formats.make("messages", {folder.file("wrong"), {}}),
                      Catch::Contains("wrong:7: workload.trace: no message (got '" + std::string(line)));
  }
  CHECK_THROWS_WITH(formats.make("messages", {folder.file("missing"), {}}),
                    Catch::Contains("it cannot be read"));
}

TEST_CASE("a custom trace format cannot name nonexistent ranks or counts") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("peer")) << ring << "1 recv 3\n";
  std::ofstream(folder.file("empty")) << "";
  CHECK(run(folder.file("out"), folder.file("peer"), {"workload.trace_format=messages"}) == 2);
  CHECK(run(folder.file("out"), folder.file("empty"), {"workload.trace_format=messages"}) == 2);

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
