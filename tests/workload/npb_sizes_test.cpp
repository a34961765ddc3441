// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "support/catch.h"
#include "workload/npb_traces.h"

using namespace tsuji;
using namespace tsuji::workload;
using Catch::Contains;

TEST_CASE("steps and numbers of ranks of every class are the published ones") {
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

TEST_CASE("EP's pairs and IS's keys grow with the class as published") {
  const std::map<char, double> pairs_log2 = {{'S', 24}, {'W', 25}, {'A', 28}, {'B', 30}, {'C', 32}};
  for (const auto& [size_class, log2] : pairs_log2) {
    const double flops = total(skeleton(std::string("ep.") + size_class + ".4"), [](const TraceOp& op) {
      return op.kind == TraceOpKind::compute ? static_cast<double>(op.value) : 0.0;
    });
    CHECK(flops == Approx(26.68e9 * std::exp2(log2 - 28)).epsilon(1e-6));
    // Two coordinates and the counts of ten rings, then the time.
    const double sums = total(skeleton(std::string("ep.") + size_class + ".4"), [](const TraceOp& op) {
      return op.kind == TraceOpKind::allreduce ? static_cast<double>(op.value) : 0.0;
    });
    CHECK(sums == 4 * (8 + 8 + 10 * 8 + 8));
  }
  for (const auto& [size_class, keys_log2, buckets] : {std::tuple{'S', 16U, 512.0}, {'W', 20U, 1024.0}}) {
    const Trace trace = skeleton(std::string("is.") + size_class + ".2");
    // The counts of all buckets and five test keys; one untimed iteration.
    const double counted = total(trace, [](const TraceOp& op) {
      return op.kind == TraceOpKind::allreduce ? static_cast<double>(op.value) : 0.0;
    });
    CHECK(counted == 2 * 11 * (buckets + 5) * 4);
    std::uint64_t key_bytes = 0;
    for (const RankOps& ops : trace.ranks) {
      for (const TraceOp& op : ops) {
        for (unsigned to = 0; op.kind == TraceOpKind::alltoallv && to < 2; ++to)
          key_bytes += trace.bytes_to(op)[to];
      }
    }
    CHECK(key_bytes == 4 * (std::uint64_t{11} << keys_log2));
    // A number of keys to each rank, and a key to the next rank at the end.
    CHECK(total(trace, [](const TraceOp& op) {
            return op.kind == TraceOpKind::alltoall ? static_cast<double>(op.value) : 0.0;
          }) == 2 * 11 * 4);
    CHECK(sent_bytes(trace) == 4);
    CHECK(sent_bytes(skeleton(std::string("is.") + size_class + ".8")) == 7 * 4);
  }
}

TEST_CASE(
    "a rank of a benchmark may compute as long as its machine can count, and not one operation longer") {
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

TEST_CASE("a node of DT has an array of the mean's length, or of its longest input") {
  for (const auto& [name, samples] : {std::pair{"dtBH.S.5", 1728U},
                                      {"dtBH.W.11", 13824U},
                                      {"dtWH.A.21", 110592U},
                                      {"dtSH.S.12", 1728U},
                                      {"dtSH.W.32", 13824U}}) {
    CAPTURE(name);
    const Trace trace = skeleton(name);
    unsigned between = 0;
    for (const RankOps& ops : trace.ranks) {
      std::uint64_t longest_in = 0, longest_out = 0, shortest_out = ~std::uint64_t{0};
      for (const TraceOp& op : ops) {
        if (op.value <= 8) continue;  // lengths, and a sink's report
        if (op.kind == TraceOpKind::recv) longest_in = std::max(longest_in, op.value);
        if (op.kind == TraceOpKind::send) longest_out = std::max(longest_out, op.value);
        if (op.kind == TraceOpKind::send) shortest_out = std::min(shortest_out, op.value);
      }
      if (longest_in == 0 || longest_out == 0) continue;
      ++between;
      CHECK(longest_out == std::max<std::uint64_t>(longest_in, samples * 4 * 8));
      CHECK(shortest_out == longest_out);
    }
    CHECK((between > 0 || trace.size() == 5));
  }
}

TEST_CASE("a skeleton begins with its program's broadcasts of inputs from rank 0, and has no others") {
  const std::uint64_t integer = 4, real = 8;
  const std::map<std::string, std::vector<std::uint64_t>> inputs = {
      // Steps, time step, grid; of BT how its solution is written, read and named, of SP whether timers are
      // on.
      {"bt", {integer, real, 3 * integer, integer, integer, integer}},
      {"sp", {integer, real, 3 * integer, integer}},
      // Two intervals of printing, steps; time step, relaxation, five tolerances; grid; timers.
      {"lu", {integer, integer, integer, real, real, 5 * real, integer, integer, integer, integer}},
      // The finest level, its sides, steps; eight switches for debugging; timers.
      {"mg", {integer, integer, integer, integer, integer, 8 * integer, integer}},
      // Steps, layout, its two sides; timers.
      {"ft", {integer, integer, integer, integer, integer}},
      // Timers.
      {"cg", {integer}},
      {"ep", {integer}},
      {"is", {integer}},
      {"dtBH", {}},
      {"dtWH", {}},
      {"dtSH", {}}};
  for (const npb::Benchmark& benchmark : all_benchmarks) {
    for (const char size_class : {'S', 'W'}) {
      const std::string name = benchmark.name;
      const unsigned ranks = benchmark.rank_counts(size_class).back();
      CAPTURE(name, size_class, ranks);
      const Trace trace = skeleton(name + "." + size_class + "." +
                                   std::to_string(std::min(ranks, name[0] == 'd' ? ranks : 4U)));
      for (const RankOps& ops : trace.ranks) {
        std::vector<std::uint64_t> found;
        bool timed = false;
        for (const TraceOp& op : ops) {
          timed = timed || op.kind == TraceOpKind::roi_begin;
          if (op.kind != TraceOpKind::bcast) continue;
          found.push_back(op.value);
          CHECK(op.peer == 0);
          CHECK_FALSE(timed);
        }
        CHECK(found == inputs.at(name));
      }
    }
  }
}

TEST_CASE("the cells of a layer that BT sends on have their own consecutive tags") {
  // Cells of four points a side and one more: a block of 5x5 and a right-hand side forward, a right-hand side
  // back.
  const std::uint64_t face = 5 * 5, forward = face * (25 + 5) * 8, back = face * 5 * 8;
  const Trace trace = skeleton("bt.S.9", 1);
  std::vector<std::set<std::int32_t>> tags;  // by the position of a send in its rank
  for (const RankOps& ops : trace.ranks) {
    std::size_t place = 0;
    for (const TraceOp& op : ops) {
      if (op.kind != TraceOpKind::isend || (op.value != forward && op.value != back)) continue;
      if (tags.size() == place) tags.emplace_back();
      tags[place++].insert(op.tag);
    }
    CHECK(place == tags.size());
  }
  CHECK(tags.size() == 2 * 3 * 2 * 2);  // also the untimed step; three sides, forward and back
  for (const auto& layer : tags) {
    REQUIRE(layer.size() == 9);
    CHECK(*layer.rbegin() - *layer.begin() == 8);
  }
}

TEST_CASE("ranks begin the timed section together, but for IS") {
  for (const char* name : {"bt.S.4", "cg.S.4", "ep.S.4", "ft.S.4", "lu.S.4", "mg.S.4", "sp.S.4"}) {
    CAPTURE(name);
    const Trace trace = skeleton(name, name[0] == 'e' ? 0 : 1);
    for (const RankOps& ops : trace.ranks) {
      TraceOpKind before = TraceOpKind::init;
      for (const TraceOp& op : ops) {
        if (op.kind == TraceOpKind::roi_begin) CHECK(before == TraceOpKind::barrier);
        before = op.kind;
      }
    }
  }
}

TEST_CASE("computing is rounded to the core's units, and computing that rounds to nothing is left out") {
  for (const double gflops : {1.0, 1e3, 1e6}) {
    CAPTURE(gflops);
    double units = 0;
    const Trace trace = make_npb_trace(config_of("cg.S.8", 1, gflops));
    for (const RankOps& ops : trace.ranks) {
      for (const TraceOp& op : ops) {
        if (op.kind != TraceOpKind::compute) continue;
        CHECK(op.value > 0);
        units += static_cast<double>(op.value);
      }
    }
    // A vector operation has 350 operations on 175 of 1,400 rows, a product 56 of these: 19,600.
    CHECK((units == 0) == (gflops > 2 * 19600));
    if (gflops == 1e3) {
      // Products are 20 units; vector operations are less than a half, or one unit where two or three are
      // together.
      double products = 0;
      for (const TraceOp& op : trace.ranks[0]) {
        if (op.kind == TraceOpKind::compute && op.value > 1) ++products;
        CHECK((op.kind != TraceOpKind::compute || op.value == 1 || op.value == 20));
      }
      CHECK(products == 2 * 26);
    }
  }
}

TEST_CASE("no benchmark but SP computes while messages are in flight") {
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

namespace {

/// Computing of a benchmark's single rank in its timed section, in order.
std::vector<double> timed_computing(const std::string& name, unsigned steps) {
  std::vector<double> flops;
  bool inside = false;
  const Trace trace = skeleton(name, steps);
  REQUIRE(trace.size() == 1);
  for (const TraceOp& op : trace.ranks[0]) {
    if (op.kind == TraceOpKind::roi_begin || op.kind == TraceOpKind::roi_end) inside = !inside;
    if (inside && op.kind == TraceOpKind::compute) flops.push_back(static_cast<double>(op.value));
  }
  return flops;
}

/// Checks the shares of the phases in the whole, one after another.
void check_parts(const std::string& name, unsigned steps, const std::vector<double>& parts) {
  CAPTURE(name);
  const std::vector<double> flops = timed_computing(name, steps);
  REQUIRE(flops.size() == parts.size());
  double all = 0, whole = 0;
  for (const double part : parts) whole += part;
  for (const double one : flops) all += one;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CAPTURE(i);
    CHECK(flops[i] / all == Approx(parts[i] / whole).epsilon(2e-4).margin(2 / all));
  }
}

}  // namespace

TEST_CASE("phases of a step have their shares of the operations (rooms/npb.md)") {
  const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  std::vector<double> bt = {300}, sp = {320};
  for (int side = 0; side < 3; ++side) {
    append(bt, {(3478.8 - 300 - 3 * 50) / 3, 50});
    const double forward = (881.174 - 320 - 3 * 40) / 3;
    append(sp, {forward * 2 / 5, forward * 3 / 5, 40 * 3 / 4.0, 40 / 4.0});
  }
  check_parts("bt.A.1", 1, bt);
  check_parts("sp.A.1", 1, sp);
  // 62 planes up and down.
  std::vector<double> lu(4 * 62, (1984.77 - 350) / 2 / 62 / 2);
  append(lu, {350 / 3.0, 350 / 3.0, 350 / 3.0});
  check_parts("lu.A.1", 1, lu);
  // Vector operations, and 11 x 12 nonzeros of a row.
  std::vector<double> cg = {1};
  for (int iteration = 0; iteration < 25; ++iteration) append(cg, {11 * 12, 1, 3, 1});
  append(cg, {11 * 12, 2, 2, 1});
  check_parts("cg.A.1", 1, cg);
  const auto points = [](unsigned level) { return std::exp2(3 * level); };
  std::vector<double> mg = {15 * points(8)};
  for (unsigned level = 7; level > 0; --level) mg.push_back(20 * points(level));
  mg.push_back(15 * points(1));
  for (unsigned level = 2; level <= 8; ++level)
    append(mg, {4 * points(level), 15 * points(level), 15 * points(level)});
  mg.push_back(15 * points(8));
  check_parts("mg.A.1", 1, mg);
  std::vector<double> is;
  for (int iteration = 0; iteration < 10; ++iteration) append(is, {2, 1});
  check_parts("is.W.1", 0, is);
  // The printed formula's terms, half of the non-transform part on either side of the transform.
  const double ln_2 = std::log(2.0);
  check_parts("ft.A.1", 1,
              {14.8157, 7.19641 * ln_2 * 8, 7.19641 * ln_2 * 8, 7.19641 * ln_2 * 7, 5.23518 / 2,
               7.21113 * ln_2 * 7, 7.21113 * ln_2 * 8, 7.21113 * ln_2 * 8, 5.23518 / 2});
}
