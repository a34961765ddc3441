// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/npb/npb.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/workload/npb/benchmark.h"

namespace tsuji::workload {
namespace npb {
namespace {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> table = {
      bt(), cg(), dt_black_hole(), dt_shuffle(), dt_white_hole(), ep(), ft(), is(), lu(), mg(), sp()};
  return table;
}

constexpr const char* form = "BENCHMARK.CLASS.RANKS, as cg.A.64";

[[noreturn]] void refuse(const std::string& value, const std::string& problem, const std::string& accepted) {
  throw ConfigError("workload.npb", value, problem, accepted);
}

const Benchmark& find_benchmark(const std::string& name) {
  std::string names;
  for (const Benchmark& benchmark : benchmarks()) {
    if (benchmark.name == name) return benchmark;
    names += (names.empty() ? "" : " ") + std::string(benchmark.name);
  }
  refuse(name, "unknown benchmark", names + "; " + form);
}

std::string text_of(const std::vector<unsigned>& numbers) {
  std::string text;
  for (const unsigned number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

char class_of(const std::string& word) {
  if (word.size() == 1 && std::find(size_classes.begin(), size_classes.end(), word[0]) != size_classes.end())
    return word[0];
  refuse(word, "unknown class", std::string("S W A B C; ") + form);
}

/// "64" to a number of ranks that the benchmark runs on.
unsigned ranks_of(const std::string& name, const std::string& word, const std::vector<unsigned>& accepted) {
  for (const unsigned ranks : accepted) {
    if (std::to_string(ranks) == word) return ranks;
  }
  refuse(name, word.empty() ? "without a number of ranks" : "does not run on " + word + " ranks",
         text_of(accepted) + " ranks");
}

unsigned steps_of(const NpbConfig& config, unsigned published) {
  if (config.steps == 0) return published;
  if (config.steps <= published) return config.steps;
  throw ConfigError("workload.npb_steps", std::to_string(config.steps),
                    published == 0 ? config.name + " has no time steps" : "more than " + config.name + " has",
                    published == 0 ? "0" : "0 (all) .. " + std::to_string(published));
}

/// Meaning of the words of a name.
struct Resolved {
  const Benchmark& benchmark;
  Problem problem;
};

Resolved resolve(const NpbConfig& config) {
  if (!(config.gflops >= 1e-6 && config.gflops <= 1e6))
    throw ConfigError("workload.npb_gflops", std::to_string(config.gflops), "not the speed of a core",
                      "1e-6..1e6");
  const std::size_t first = config.name.find('.');
  if (first == std::string::npos) {
    find_benchmark(config.name);
    refuse(config.name, "without a class", std::string("S W A B C; ") + form);
  }
  const std::size_t second = config.name.find('.', first + 1);
  const Benchmark& benchmark = find_benchmark(config.name.substr(0, first));
  Problem problem;
  problem.size_class = class_of(config.name.substr(first + 1, second - first - 1));
  problem.ranks = ranks_of(config.name, second == std::string::npos ? "" : config.name.substr(second + 1),
                           benchmark.rank_counts(problem.size_class));
  problem.steps = steps_of(config, benchmark.steps(problem.size_class));
  return {benchmark, problem};
}

void check_limits(const NpbConfig& config, const Trace& trace, const TraceLimits& limits) {
  for (const RankOps& ops : trace.ranks) {
    std::uint64_t left = limits.rank_flops;
    for (std::size_t at = 0; at < ops.stored().size(); ++at) {
      const TraceOp& op = ops.stored()[at];
      if (op.kind != TraceOpKind::compute) continue;
      if (op.value > left / ops.times(at)) {
        refuse(config.name, "a rank computes for too long",
               "at most " + std::to_string(limits.rank_flops) + " flops a rank" +
                   (limits.because.empty() ? "" : " (" + limits.because + ")"));
      }
      left -= op.value * ops.times(at);
    }
  }
}

}  // namespace

std::vector<unsigned> powers_of_two(unsigned largest) {
  std::vector<unsigned> powers;
  for (unsigned power = 1; power <= largest; power *= 2) powers.push_back(power);
  return powers;
}

unsigned log2_of(unsigned power) {
  unsigned log = 0;
  while (power >>= 1) ++log;
  return log;
}

}  // namespace npb

void NpbConfig::validate() const {
  npb::resolve(*this);
}

Trace make_npb_trace(const NpbConfig& config, const TraceLimits& limits) {
  const npb::Resolved resolved = npb::resolve(config);
  npb::Skeleton skeleton(resolved.problem.ranks, config.gflops);
  resolved.benchmark.write(resolved.problem, skeleton);
  Trace trace = skeleton.take();
  trace.key = "workload.npb";
  npb::check_limits(config, trace, limits);
  return trace;
}

}  // namespace tsuji::workload
