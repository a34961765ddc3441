#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tsuji/core/error.h"
#include "workload/npb_traces.h"

using namespace tsuji;
using namespace tsuji::workload;
using Catch::Matchers::Contains;

TEST_CASE("steps and numbers of ranks are the published ones, of every class") {
  using Steps = std::array<unsigned, 5>;
  const std::map<std::string, Steps> steps = {{"bt", {60, 200, 200, 200, 200}},
                                              {"sp", {100, 400, 400, 400, 400}},
                                              {"lu", {50, 300, 250, 250, 250}},
                                              {"cg", {15, 15, 15, 75, 75}},
                                              {"mg", {4, 4, 4, 20, 20}},
                                              {"ft", {6, 6, 6, 20, 20}},
                                              {"is", {10, 10, 10, 10, 10}},
                                              {"ep", {}},
                                              {"dtBH", {}},
                                              {"dtWH", {}},
                                              {"dtSH", {}}};
  // Squares with cells of three points a side; powers of two up to the last with enough points or pairs.
  const std::map<std::string, Steps> most = {{"bt", {16, 64, 441, 1156, 2916}},
                                             {"sp", {16, 144, 441, 1156, 2916}},
                                             {"lu", {4, 64, 256, 256, 1024}},
                                             {"cg", {32768, 32768, 32768, 32768, 32768}},
                                             {"mg", {4096, 32768, 32768, 32768, 32768}},
                                             {"ft", {4096, 4096, 32768, 32768, 32768}},
                                             {"is", {128, 1024, 1024, 1024, 1024}},
                                             {"ep", {256, 512, 4096, 16384, 32768}},
                                             {"dtBH", {5, 11, 21, 43, 85}},
                                             {"dtWH", {5, 11, 21, 43, 85}},
                                             {"dtSH", {12, 32, 80, 192, 448}}};
  for (const npb::Benchmark& benchmark : all_benchmarks) {
    const std::string name = benchmark.name;
    for (std::size_t i = 0; i < npb::size_classes.size(); ++i) {
      CAPTURE(name, npb::size_classes[i]);
      CHECK(benchmark.steps(npb::size_classes[i]) == steps.at(name)[i]);
      const unsigned last = most.at(name)[i];
      std::vector<unsigned> expected;
      for (unsigned n = 1; name.substr(0, 2) != "dt" && n <= last; ++n) {
        const bool squares = name == "bt" || name == "sp";
        const auto root = static_cast<unsigned>(std::lround(std::sqrt(n)));
        if (squares ? root * root == n : (n & (n - 1)) == 0) expected.push_back(n);
      }
      if (expected.empty()) expected.push_back(last);
      CHECK(benchmark.rank_counts(npb::size_classes[i]) == expected);
    }
  }
}

TEST_CASE("EP's pairs and IS's keys double and redouble with the class") {
  const std::map<char, double> pairs_log2 = {{'S', 24}, {'W', 25}, {'A', 28}, {'B', 30}, {'C', 32}};
  for (const auto& [size_class, log2] : pairs_log2) {
    const double flops = total(skeleton(std::string("ep.") + size_class + ".4"), [](const TraceOp& op) {
      return op.kind == TraceOpKind::compute ? static_cast<double>(op.value) : 0.0;
    });
    CHECK(flops == Approx(26.68e9 * std::exp2(log2 - 28)).epsilon(1e-6));
  }
  for (const auto& [size_class, keys_log2, buckets] : {std::tuple{'S', 16U, 512.0}, {'W', 20U, 1024.0}}) {
    const Trace trace = skeleton(std::string("is.") + size_class + ".2");
    // The counts of all buckets and five test keys; one untimed iteration.
    const double counted = total(trace, [](const TraceOp& op) {
      return op.kind == TraceOpKind::allreduce ? static_cast<double>(op.value) : 0.0;
    });
    CHECK(counted == 2 * 11 * (buckets + 5) * 4);
    double keys = 0;
    for (const RankOps& ops : trace.ranks) {
      for (const TraceOp& op : ops) {
        for (unsigned to = 0; op.kind == TraceOpKind::alltoallv && to < 2; ++to)
          keys += trace.bytes_to(op)[to] / 4;
      }
    }
    CHECK(keys == 11.0 * (1U << keys_log2));
  }
}

TEST_CASE("a rank of a benchmark may compute as long as its machine can count, and not an operation longer") {
  for (const char* name : {"cg.S.2", "bt.S.4", "ep.S.2"}) {
    const Trace trace = skeleton(name);
    TraceLimits limits;
    limits.rank_flops = 0;
    for (const RankOps& ops : trace.ranks) {
      std::uint64_t flops = 0;
      for (const TraceOp& op : ops) flops += op.kind == TraceOpKind::compute ? op.value : 0;
      limits.rank_flops = std::max(limits.rank_flops, flops);
    }
    CHECK_NOTHROW(make_npb_trace(config_of(name), limits));
    --limits.rank_flops;
    CHECK_THROWS_WITH(make_npb_trace(config_of(name), limits), Contains("for too long"));
  }
}

TEST_CASE("no benchmark but SP computes while messages are on their way") {
  for (const char* name :
       {"bt.S.4", "cg.S.8", "dtSH.S.12", "ep.S.4", "ft.W.64", "is.S.4", "lu.S.4", "mg.S.16", "sp.S.4"}) {
    CAPTURE(name);
    const bool steps = std::string(name).find("dt") != 0 && name[0] != 'e' && name[0] != 'i';
    const Trace trace = skeleton(name, steps ? 2 : 0);
    bool overlaps = false;
    for (const RankOps& ops : trace.ranks) {
      std::uint64_t open = 0;
      for (const TraceOp& op : ops) {
        if (op.kind == TraceOpKind::isend || op.kind == TraceOpKind::irecv) ++open;
        if (op.kind == TraceOpKind::wait) --open;
        if (op.kind == TraceOpKind::waitall) open = 0;
        overlaps = overlaps || (op.kind == TraceOpKind::compute && open > 0);
      }
      CHECK(open == 0);
    }
    CHECK(overlaps == (std::string(name) == "sp.S.4"));
  }
}
