// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <map>

#include "support/catch.h"
#include "tsuji/workload/trace.h"

using namespace tsuji::workload;

namespace {

/// Matches sent and received messages by (source, destination, tag).
void check_balance(const Trace& trace) {
  std::map<std::array<std::uint64_t, 3>, std::int64_t> open;
  for (std::size_t rank = 0; rank < trace.size(); ++rank) {
    for (const TraceOp& op : trace.ranks[rank]) {
      const auto tag = static_cast<std::uint64_t>(op.tag);
      if (op.kind == TraceOpKind::send || op.kind == TraceOpKind::isend) ++open[{rank, op.peer, tag}];
      if (op.kind == TraceOpKind::recv || op.kind == TraceOpKind::irecv) --open[{op.peer, rank, tag}];
    }
  }
  for (const auto& [key, count] : open) REQUIRE(count == 0);
}

std::size_t count(const Trace& trace, TraceOpKind kind) {
  std::size_t found = 0;
  for (const auto& ops : trace.ranks) {
    for (const TraceOp& op : ops) found += op.kind == kind ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE("the recorded traces of the repository are read, and their messages balance") {
  const std::string folder = TSUJI_SOURCE_DIR "/platforms/traces/";
  const Trace cg = read_trace(folder + "cg64.ti.zst");
  CHECK(cg.size() == 64);
  CHECK(count(cg, TraceOpKind::isend) == 5600);
  CHECK(count(cg, TraceOpKind::allreduce) == 64 * 51);
  check_balance(cg);
  const Trace transpose = read_trace(folder + "transpose64.ti.zst");
  CHECK(transpose.size() == 64);
  CHECK(count(transpose, TraceOpKind::alltoall) == 64 * 2);
}

// TSUJI_TRACES names a folder with the recorded NAS benchmarks, which are too large for the repository.
TEST_CASE("every trace of the folder TSUJI_TRACES is read, and its messages balance") {
  const char* folder = std::getenv("TSUJI_TRACES");
  if (folder == nullptr) {
    WARN("skipped: TSUJI_TRACES is not set");
    return;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".zst") continue;
    CAPTURE(name);
    const Trace trace = read_trace(entry.path().string());
    // "cg.A.64.ti.zst": the number of ranks is the third part.
    const auto at = name.find('.', name.find('.') + 1) + 1;
    CHECK(trace.size() == std::stoul(name.substr(at)));
    check_balance(trace);
    if (name == "cg.A.64.ti.zst") {
      CHECK(count(trace, TraceOpKind::send) == 269312);
      CHECK(count(trace, TraceOpKind::compute) == 165417);
    }
    if (name == "is.A.64.ti.zst") CHECK(count(trace, TraceOpKind::alltoallv) == 704);
    if (name == "sp.A.64.ti.zst") CHECK(count(trace, TraceOpKind::waitall) == 57856);
    if (name == "lu.A.256.ti.zst") CHECK(count(trace, TraceOpKind::recv) == 1249920);
    ++files;
  }
  CHECK(files > 0);
}
