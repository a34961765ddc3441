// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "workload/npb_traces.h"
#include "workload/rank_executor.h"
#include "workload/trace_op.h"

using namespace tsuji;
using namespace tsuji::workload;
using Catch::Contains;
using Catch::Equals;
using tsuji::test::op;

TEST_CASE("a repeated stretch of operations reads as if written out") {
  RankOps folded;
  const auto op = [](std::uint64_t value) {
    TraceOp made;
    made.value = value;
    return made;
  };
  for (const std::uint64_t value : {1, 2, 3, 4}) folded.push_back(op(value));
  folded.repeat_from(2, 3);
  folded.push_back(op(5));
  std::vector<std::uint64_t> read, by_index;
  for (const TraceOp& each : folded) read.push_back(each.value);
  for (std::size_t at = 0; at < folded.size(); ++at) by_index.push_back(folded[at].value);
  const std::vector<std::uint64_t> expected = {1, 2, 3, 4, 3, 4, 3, 4, 5};
  CHECK(read == expected);
  CHECK(by_index == expected);
  CHECK(folded.times(1) == 1);
  CHECK(folded.times(3) == 3);
  CHECK(folded.times(4) == 1);
}

TEST_CASE("stretches within a repeated stretch read as if written out") {
  RankOps folded;
  const auto push = [&](std::uint64_t value) {
    TraceOp made;
    made.value = value;
    folded.push_back(made);
  };
  push(1);
  push(2);  // the outer stretch begins
  push(3);
  push(4);
  folded.repeat_from(2, 3);
  push(5);
  folded.repeat_from(4, 2);
  folded.repeat_from(1, 2);
  push(6);
  folded.repeat_from(5, 1);
  push(7);
  folded.repeat_from(6, 2);
  push(8);
  std::vector<std::uint64_t> read;
  for (const TraceOp& each : folded) read.push_back(each.value);
  const std::vector<std::uint64_t> expected = {1, 2, 3, 4, 3, 4, 3, 4, 5, 5, 2, 3,
                                               4, 3, 4, 3, 4, 5, 5, 6, 7, 7, 8};
  CHECK(read == expected);
  CHECK(folded.stored().size() == 8);
  const std::vector<std::uint64_t> times = {1, 2, 6, 6, 4, 1, 2, 1};
  for (std::size_t at = 0; at < 8; ++at) {
    CHECK(folded.times(at) == times[at]);
    CHECK(read[folded.repetitions().occurrence(at)] == folded.stored()[at].value);
  }
  CHECK(folded.repetitions().occurrence(4) == 8);
}

namespace {

/// Runs every benchmark and class with at most `most_ranks` ranks; data traffic has fixed numbers of ranks.
void require_ends(unsigned most_ranks) {
  for (const npb::Benchmark& benchmark : all_benchmarks) {
    for (const char size_class : npb::size_classes) {
      for (const unsigned ranks : benchmark.rank_counts(size_class)) {
        const bool data_traffic = std::string(benchmark.name).substr(0, 2) == "dt";
        if (ranks > most_ranks && !data_traffic) break;
        const std::string name = std::string(benchmark.name) + "." + size_class + "." + std::to_string(ranks);
        CAPTURE(name);
        const Trace trace = skeleton(name, std::min(2U, benchmark.steps(size_class)));
        REQUIRE(trace.size() == ranks);
        REQUIRE_THAT(RankExecutor(trace, true).run(), Equals(""));
        REQUIRE_THAT(RankExecutor(trace, false).run(), Equals(""));
      }
    }
  }
}

}  // namespace

TEST_CASE("every benchmark, class and small number of ranks completes, with every message received") {
  require_ends(32);
}

TEST_CASE("every benchmark and class with up to 64 ranks comes to its end", "[.][long]") {
  require_ends(64);
}

TEST_CASE("so do grids of ranks that are not square, pencils, and ranks that drop out") {
  for (const char* name : {"cg.S.128", "cg.W.512", "ft.S.128", "ft.W.64", "ft.W.512", "mg.S.512", "mg.W.256",
                           "lu.W.32", "lu.B.128", "bt.C.225", "sp.B.144", "is.A.1024", "ep.S.256"}) {
    CAPTURE(name);
    const Trace trace = skeleton(name, name[0] == 'e' ? 0 : 1);
    REQUIRE_THAT(RankExecutor(trace, true).run(), Equals(""));
    REQUIRE_THAT(RankExecutor(trace, false).run(), Equals(""));
  }
}

TEST_CASE("the executor reports a circular wait and a message that is never received") {
  // Checks the executor on which the cases above rely.
  Trace circle;
  circle.ranks = {RankOps({op(TraceOpKind::send, 8, 1), op(TraceOpKind::recv, 8, 1)}),
                  RankOps({op(TraceOpKind::send, 8, 0), op(TraceOpKind::recv, 8, 0)})};
  CHECK_THAT(RankExecutor(circle, true).run(), Equals(""));
  CHECK_THAT(RankExecutor(circle, false).run(), Contains("waits forever"));
  Trace left;
  left.ranks = {RankOps({op(TraceOpKind::send, 8, 1)}), RankOps(std::vector<TraceOp>{})};
  CHECK_THAT(RankExecutor(left, true).run(), Contains("one end only"));
  Trace longer;
  longer.ranks = {RankOps({op(TraceOpKind::send, 9, 1)}), RankOps({op(TraceOpKind::recv, 8, 0)})};
  CHECK_THAT(RankExecutor(longer, true).run(), Contains("longer than its receive"));
}

TEST_CASE("the operations of the timed section are the published ones") {
  // RNR-94-007 for IS and EP; for the others what NPB 2 and 3 print, Mop/s times seconds of published results
  // (CG and MG: 77.07 x 19.42, 456.98 x 42.59).
  const std::map<std::string, double> published = {{"bt.A", 168.3e9},  {"sp.A", 85.0e9},   {"lu.A", 119.28e9},
                                                   {"mg.B", 19.463e9}, {"cg.A", 1.4967e9}, {"is.A", 0.7812e9},
                                                   {"ep.A", 26.68e9},  {"bt.B", 702.2e9},  {"sp.B", 355.1e9},
                                                   {"lu.B", 498.8e9},  {"ft.A", 7.14e9},   {"ft.B", 92.05e9}};
  for (const auto& [name, flops] : published) {
    for (const unsigned ranks : {1U, 16U, 49U, 64U}) {
      // Seven layers of 64 points are not equally thick, nor are the first two.
      if (ranks == 49 && name.substr(0, 2) != "bt" && name.substr(0, 2) != "sp") continue;
      CAPTURE(name, ranks);
      const Trace trace = skeleton(name + "." + std::to_string(ranks));
      double timed = 0;
      for (const RankOps& ops : trace.ranks) {
        bool inside = false;
        for (std::size_t at = 0; at < ops.stored().size(); ++at) {
          const TraceOp& op = ops.stored()[at];
          if (op.kind == TraceOpKind::roi_begin || op.kind == TraceOpKind::roi_end) inside = !inside;
          if (inside && op.kind == TraceOpKind::compute)
            timed += static_cast<double>(op.value) * static_cast<double>(ops.times(at));
        }
      }
      CHECK(timed == Approx(flops).epsilon(0.001));
    }
  }
}

TEST_CASE("a faster core has shorter computing and equal communication") {
  const Trace slow = make_npb_trace(config_of("cg.S.4", 1, 1)),
              fast = make_npb_trace(config_of("cg.S.4", 1, 4));
  const auto flops = [](const TraceOp& op) {
    return op.kind == TraceOpKind::compute ? static_cast<double>(op.value) : 0.0;
  };
  CHECK(total(fast, flops) == Approx(total(slow, flops) / 4).epsilon(1e-3));
  CHECK(sent_messages(fast) == sent_messages(slow));
}

TEST_CASE("BT and SP send the faces of all cells, and the data of their sweeps") {
  for (const auto& [size_class, n_bt, n_sp] : {std::tuple{'S', 12.0, 12.0},
                                               {'W', 24.0, 36.0},
                                               {'A', 64.0, 64.0},
                                               {'B', 102.0, 102.0},
                                               {'C', 162.0, 162.0}}) {
    for (const double p : {2.0, 3.0, 4.0}) {
      CAPTURE(size_class, p);
      const std::string size = std::string(".") + size_class + "." + std::to_string(static_cast<int>(p * p));
      constexpr double steps = 7, copies = steps + 2;
      // Two layers of five doubles, in both directions, across p - 1 planes along each side.
      const auto faces = [&](double n) { return 3 * 2 * (p - 1) * n * n * 2 * 5 * 8; };
      const double bt_face = square(std::floor(n_bt / p) + 1);
      const double bt_sweeps = 3 * p * p * (p - 1) * bt_face * (30 + 5) * 8;
      CHECK(sent_bytes(skeleton("bt" + size, 7)) == copies * faces(n_bt) + (steps + 1) * bt_sweeps);
      const double sp_sweeps = 3 * (p - 1) * square(n_sp - 2) * (22 + 10) * 8;
      CHECK(sent_bytes(skeleton("sp" + size, 7)) == copies * faces(n_sp) + (steps + 1) * sp_sweeps);
    }
  }
}

TEST_CASE("LU sends a line of points of every plane over every border, and the faces") {
  for (const auto& [size_class, n] :
       {std::pair{'S', 12.0}, {'W', 33.0}, {'A', 64.0}, {'B', 102.0}, {'C', 162.0}}) {
    for (const auto& [x, y] :
         {std::pair{1.0, 1.0}, {2.0, 1.0}, {2.0, 2.0}, {4.0, 2.0}, {4.0, 4.0}, {8.0, 4.0}}) {
      if (x > 2 * (size_class == 'S' ? 1 : 4)) continue;
      CAPTURE(size_class, x, y);
      constexpr double steps = 5, variables_bytes = 5 * 8;
      const double borders = x - 1 + y - 1;
      const double sweeps = 2 * (n - 2) * borders * (n - 2) * variables_bytes;
      const double faces = 2 * borders * n * n * 2 * variables_bytes;
      const double integrals =
          8 * (2 * n * (y - 1) + 2 * (n + 2 * y) * (x - 1) + 2 * n * (x - 1) + 2 * n * (y - 1));
      const std::string name =
          std::string("lu.") + size_class + "." + std::to_string(static_cast<int>(x * y));
      // Faces for the forcing, and before and in each of the two runs.
      CHECK(sent_bytes(skeleton(name, 5)) == (steps + 1) * sweeps + (steps + 4) * faces + integrals);
    }
  }
}

TEST_CASE("CG sums vectors over rows of ranks and transposes them") {
  for (const auto& [size_class, n] :
       {std::pair{'S', 1400.0}, {'W', 7000.0}, {'A', 14000.0}, {'B', 75000.0}, {'C', 150000.0}}) {
    for (const unsigned log : {0U, 1U, 2U, 3U, 4U, 5U, 8U}) {
      CAPTURE(size_class, log);
      constexpr double steps = 2;
      const double ranks = 1U << log, columns_log = std::floor((log + 1) / 2.0),
                   columns = 1U << (log + 1) / 2;
      // A rank has 1 / rows of a vector, or half of that where there are two columns for a row.
      const double vectors = n * 8 * (log % 2 == 0 ? columns : columns / 2);
      const double products = 26 * vectors * (log == 0 ? 0 : columns_log + 1);
      const double sums = ranks * columns_log * (52 * 8 + 16);
      const std::string name = std::string("cg.") + size_class + "." + std::to_string(1U << log);
      CHECK(sent_bytes(skeleton(name, 2)) == (steps + 1) * (products + sums));
    }
  }
}

TEST_CASE("of two neighbours in CG that share an odd number of rows, the even one keeps the larger half") {
  // 1,400 rows over 16: 87 in the last rows of ranks; 32 columns. The neighbour is the last partner, with
  // tag 5.
  const Trace trace = skeleton("cg.S.512", 1);
  const auto first_vector = [&](std::size_t rank, TraceOpKind kind) {
    for (const TraceOp& op : trace.ranks[rank]) {
      if (op.kind == kind && op.tag == 5 && op.value > 16) return op;
    }
    return TraceOp{};
  };
  CHECK(first_vector(256, TraceOpKind::irecv).peer == 257);
  CHECK(first_vector(256, TraceOpKind::irecv).value == 44 * 8);
  CHECK(first_vector(256, TraceOpKind::send).value == 43 * 8);
  CHECK(first_vector(257, TraceOpKind::irecv).value == 43 * 8);
}

TEST_CASE("FT sends the whole grid in every transpose, except for a rank's own part") {
  for (const auto& [size_class, points, nz] : {std::tuple{'S', 64.0 * 64 * 64, 64U},
                                               {'W', 128.0 * 128 * 32, 32U},
                                               {'A', 256.0 * 256 * 128, 128U},
                                               {'B', 512.0 * 256 * 256, 256U},
                                               {'C', 512.0 * 512 * 512, 512U}}) {
    for (const unsigned ranks : {1U, 2U, 32U, 64U, 128U, 512U, 1024U}) {
      CAPTURE(size_class, ranks);
      const Trace trace = skeleton(std::string("ft.") + size_class + "." + std::to_string(ranks), 6);
      constexpr double transforms = 2 + 6;
      const double grid = points * 16;
      const double together = total(trace, [&](const TraceOp& op) {
        return op.kind == TraceOpKind::alltoall ? static_cast<double>(op.value) * ranks : 0.0;
      });
      const bool slabs = ranks <= nz;
      CHECK(together == (slabs && ranks > 1 ? transforms * grid : 0.0));
      const double group = slabs ? 1.0 : ranks / static_cast<double>(nz);
      CHECK(sent_bytes(trace) == (slabs ? 0.0 : transforms * grid * (1 - 1.0 / nz + 1 - 1 / group)));
    }
  }
}

TEST_CASE("MG sends six faces a rank and grid, and fewer where ranks drop out") {
  // Up to eight ranks have points on every grid. They are cut along z first, then along y, then along x.
  for (const auto& [size_class, top, x, y] : {std::tuple{'S', 5U, 2.0, 2.0},
                                              {'S', 5U, 1.0, 2.0},
                                              {'S', 5U, 1.0, 1.0},
                                              {'W', 7U, 2.0, 2.0},
                                              {'A', 8U, 2.0, 2.0},
                                              {'B', 8U, 1.0, 2.0},
                                              {'C', 9U, 1.0, 1.0}}) {
    constexpr double steps = 3;
    const double ranks = 2 * x * y;
    CAPTURE(size_class, ranks);
    const double a_cycle = 3 * (top - 1) + 1, alone = 2 + 3;  // charges; residuals before the cycles
    double top_face = 0, cycle_bytes = 0;
    for (unsigned level = 1; level <= top; ++level) {
      const double a = (1U << level) / x, b = (1U << level) / y, c = (1U << level) / 2.0;
      const double faces = 2 * 8 * ranks * (b * c + (a + 2) * c + (a + 2) * (b + 2));
      // Down: all grids but the finest; up: all but the coarsest twice; the coarsest is smoothed.
      cycle_bytes += faces * ((level < top ? 1 : 0) + (level > 1 ? 2 : 1));
      top_face = faces;
    }
    const std::string name = std::string("mg.") + size_class + "." + std::to_string(static_cast<int>(ranks));
    const Trace trace = skeleton(name, 3);
    CHECK(sent_messages(trace) == ranks * 6 * (alone + (steps + 1) * a_cycle + steps));
    CHECK(sent_bytes(trace) == alone * top_face + (steps + 1) * cycle_bytes + steps * top_face);
  }
  // 64 ranks, two points a side on the coarsest grid: each of the others takes data from two ranks for each
  // missing side.
  const Trace wide = skeleton("mg.S.64", 1);
  for (std::size_t rank = 0; rank < 64; ++rank) {
    std::size_t receives = 0, waits = 0;
    for (const TraceOp& op : wide.ranks[rank]) {
      receives += op.kind == TraceOpKind::irecv;
      waits += op.kind == TraceOpKind::wait;
    }
    CHECK(receives == waits);
  }
}

TEST_CASE("IS sends every key once an iteration, evenly to all ranks") {
  for (const unsigned ranks : {1U, 8U, 128U}) {
    CAPTURE(ranks);
    const Trace trace = skeleton("is.S." + std::to_string(ranks));
    for (unsigned iteration = 0; iteration < 11; ++iteration) {
      std::vector<std::uint64_t> received(ranks);
      std::uint64_t all = 0;
      for (const RankOps& ops : trace.ranks) {
        std::vector<const TraceOp*> exchanges;
        for (const TraceOp& op : ops.stored()) {
          if (op.kind == TraceOpKind::alltoallv) exchanges.push_back(&op);
        }
        REQUIRE(exchanges.size() == 11);
        for (unsigned to = 0; to < ranks; ++to) {
          received[to] += trace.bytes_to(*exchanges[iteration])[to];
          all += trace.bytes_to(*exchanges[iteration])[to];
        }
      }
      CHECK(all == 4ULL << 16);
      // Whole buckets: the fullest of 512 has 8/3 / 512 of the keys, as the mean of four uniform numbers has
      // its densest part in the middle, within five standard errors.
      const double even = static_cast<double>(4ULL << 16) / ranks;
      for (const std::uint64_t bytes : received) CHECK(std::abs(bytes - even) <= 0.0067 * (4ULL << 16));
    }
  }
}

TEST_CASE("DT's graphs have their published sizes, and arrays near the mean on every arc") {
  struct Case {
    const char* name;
    double arcs, sinks, samples, deviation;
  };
  for (const Case& at :
       {Case{"dtBH.S.5", 4, 1, 1728, 128}, Case{"dtWH.S.5", 4, 4, 1728, 128},
        Case{"dtBH.W.11", 10, 1, 13824, 256}, Case{"dtSH.W.32", 48, 8, 13824, 256},
        Case{"dtWH.A.21", 20, 16, 110592, 512}, Case{"dtSH.C.448", 768, 64, 7077888, 2048},
        Case{"dtBH.B.43", 42, 1, 884736, 1024}, Case{"dtSH.S.12", 16, 4, 1728, 128},
        Case{"dtWH.C.85", 84, 64, 7077888, 2048}, Case{"dtSH.B.192", 320, 32, 884736, 1024}}) {
    CAPTURE(at.name);
    const Trace trace = skeleton(at.name);
    CHECK(sent_messages(trace) == 2 * at.arcs + at.sinks);
    const double mean = at.arcs * (4 + at.samples * 4 * 8) + at.sinks * 8;
    CHECK(std::abs(sent_bytes(trace) - mean) <= at.arcs * at.deviation * 4 * 8);
  }
}

TEST_CASE("a skeleton as text is read as the same trace") {
  const auto path =
      std::filesystem::temp_directory_path() / ("tsuji_npb_" + std::to_string(std::rand()) + ".ti");
  for (const char* name :
       {"cg.S.8", "bt.S.9", "is.S.4", "ft.W.64", "mg.S.16", "lu.S.4", "dtSH.S.12", "ep.S.2"}) {
    CAPTURE(name);
    const Trace made =
        skeleton(name, std::string(name) == "is.S.4" || name[0] == 'd' || name[0] == 'e' ? 0 : 3);
    std::ofstream file(path);
    write_trace(made, file);
    file.close();
    const Trace read = read_trace(path.string());
    REQUIRE(read.size() == made.size());
    for (std::size_t rank = 0; rank < made.size(); ++rank) {
      REQUIRE(read.ranks[rank].size() == made.ranks[rank].size());
      for (std::size_t at = 0; at < made.ranks[rank].size(); ++at) {
        const TraceOp &a = made.ranks[rank][at], &b = read.ranks[rank][at];
        REQUIRE(a.kind == b.kind);
        REQUIRE(a.peer == b.peer);
        REQUIRE(a.tag == b.tag);
        REQUIRE(a.receives == b.receives);
        if (a.kind == TraceOpKind::alltoallv) {
          REQUIRE(std::equal(made.bytes_to(a), made.bytes_to(a) + 2 * made.size(), read.bytes_to(b)));
        } else {
          REQUIRE(a.value == b.value);
        }
      }
    }
  }
  std::filesystem::remove(path);
}

TEST_CASE("a benchmark that does not exist is refused with what does") {
  const auto refusal = [](const NpbConfig& config) -> std::string {
    return tsuji::test::text_of<ConfigError>([&] { config.validate(); });
  };
  CHECK_THAT(refusal(config_of("cg.A.64")), Equals(""));
  CHECK_THAT(refusal(config_of("bt.A.64", 200)), Equals(""));
  const auto named = [&](const char* name) { return refusal(config_of(name)); };
  CHECK_THAT(named("ua.A.64"),
             Contains("workload.npb") && Contains("unknown benchmark") && Contains("dtBH dtSH"));
  CHECK_THAT(named("ua"), Contains("unknown benchmark"));
  CHECK_THAT(named(""), Contains("unknown benchmark"));
  CHECK_THAT(named("cg"), Contains("without a class") && Contains("S W A B C"));
  CHECK_THAT(named("cg.D.64"), Contains("unknown class") && Contains("'D'") && Contains("S W A B C"));
  CHECK_THAT(named("cg.A.48"),
             Contains("does not run on 48 ranks") && Contains("1, 2, 4, 8, 16, 32, 64, 128"));
  CHECK_THAT(named("bt.S.25"), Contains("does not run on 25 ranks") && Contains("1, 4, 9, 16 ranks"));
  CHECK_THAT(named("lu.A.512"), Contains("does not run on 512 ranks") && Contains("128, 256 ranks"));
  CHECK_THAT(named("is.S.256"), Contains("64, 128 ranks"));
  CHECK_THAT(named("dtBH.A"), Contains("without a number of ranks") && Contains("accepted: 21 ranks"));
  CHECK_THAT(named("dtSH.A.64"), Contains("accepted: 80 ranks"));
  CHECK_THAT(named("cg.A.064"), Contains("does not run on 064 ranks"));
  CHECK_THAT(named("cg.A.64.1"), Contains("does not run on 64.1 ranks"));
  CHECK_THAT(refusal(config_of("cg.A.64", 16)), Contains("workload.npb_steps") && Contains("0 (all) .. 15"));
  CHECK_THAT(refusal(config_of("ep.A.64", 1)), Contains("no time steps"));
  for (const double gflops : {0.0, -1.0, 0.99e-6, 1.01e6, std::nan("")})
    CHECK_THAT(refusal(config_of("cg.A.64", 0, gflops)), Contains("workload.npb_gflops"));
  for (const double gflops : {1e-6, 1e6}) CHECK_THAT(refusal(config_of("cg.A.64", 0, gflops)), Equals(""));
  TraceLimits limits;
  limits.rank_flops = 1'000'000;
  limits.because = "what a run may last";
  CHECK_THROWS_WITH(make_npb_trace(config_of("cg.S.2"), limits),
                    Contains("for too long") && Contains("may last"));
  CHECK_NOTHROW(make_npb_trace(config_of("cg.S.64", 1), limits));
}
