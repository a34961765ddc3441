// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>

#include "support/catch.h"
#include "tsuji/workload/npb/npb.h"

using namespace tsuji::workload;
using Catch::Equals;

namespace {

/// The operations of a rank without its computing.
std::vector<TraceOp> communication(const RankOps& ops) {
  std::vector<TraceOp> kept;
  for (const TraceOp& op : ops) {
    if (op.kind != TraceOpKind::compute) kept.push_back(op);
  }
  return kept;
}

/// Compares kinds, peers, bytes and tags. Tags of groups' collectives come from the recorder, as the
/// application has none.
bool equal(const Trace& ours, const TraceOp& a, const Trace& theirs, const TraceOp& b, bool with_tags) {
  if (a.kind != b.kind || a.peer != b.peer || a.receives != b.receives || (with_tags && a.tag != b.tag))
    return false;
  if (a.kind != TraceOpKind::alltoallv) return a.value == b.value;
  return std::equal(ours.bytes_to(a), ours.bytes_to(a) + 2 * ours.size(), theirs.bytes_to(b));
}

/// The first operation that differs, or nothing.
std::string first_difference(const Trace& ours, const Trace& theirs, bool with_tags) {
  if (ours.size() != theirs.size()) return "ranks";
  for (std::size_t rank = 0; rank < ours.size(); ++rank) {
    const std::vector<TraceOp> a = communication(ours.ranks[rank]), b = communication(theirs.ranks[rank]);
    const std::string place = "rank " + std::to_string(rank) + ", communication ";
    for (std::size_t at = 0; at < std::min(a.size(), b.size()); ++at) {
      if (!equal(ours, a[at], theirs, b[at], with_tags))
        return place + std::to_string(at) + ": " + text_of(a[at]) + ", recorded: " + text_of(b[at]);
    }
    if (a.size() != b.size())
      return place + std::to_string(a.size()) + " operations, recorded: " + std::to_string(b.size());
  }
  return "";
}

}  // namespace

TEST_CASE("skeletons are the recorded benchmarks of TSUJI_TRACES, operation by operation") {
  const char* folder = std::getenv("TSUJI_TRACES");
  if (folder == nullptr) {
    WARN("skipped: TSUJI_TRACES is not set");
    return;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    const std::size_t end = file.rfind(".ti.zst");
    if (end == std::string::npos) continue;
    CAPTURE(file);
    NpbConfig config;
    config.name = file.substr(0, end);
    const std::string benchmark = file.substr(0, file.find('.'));
    if (benchmark == "bt" || benchmark == "sp" || benchmark == "lu")
      config.steps = 20;  // the recordings have 20
    const Trace recorded = read_trace(entry.path().string());
    CHECK_THAT(first_difference(make_npb_trace(config), recorded, config.name != "ft.A.256"), Equals(""));
    ++files;
  }
  CHECK(files > 0);
}
