// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cerrno>
#include <exception>
#include <iostream>
#include <optional>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/workload/npb/npb.h"

using namespace tsuji;

namespace {

int write(const workload::NpbConfig& config, const std::string& path) {
  const workload::Trace trace = workload::make_npb_trace(config);
  std::optional<OutputFile> file;
  if (!path.empty()) file.emplace(path, "--output");
  std::ostream& out = file ? file->stream() : std::cout;
  workload::write_trace(trace, out);
  if (file) file->commit();
  errno = 0;
  out.flush();
  if (!out) throw OutputError("the trace", write_problem(errno));
  return 0;
}

}  // namespace

/// Writes a NAS Parallel Benchmark's skeleton as TI text; exit status as a platform's.
int main(int argc, char** argv) {
  workload::NpbConfig config;
  std::string output;
  CLI::App app(
      "Writes the communication and computation of a NAS Parallel Benchmark 3.3.1 (MPI) as a TI trace in "
      "text form",
      "skeleton");
  app.add_option("NAME", config.name, "benchmark as BENCHMARK.CLASS.RANKS: cg.A.64, dtBH.A.21")->required();
  app.add_option("--iterations", config.steps, "number of time steps or iterations; 0: all of the benchmark");
  app.add_option("--gflops", config.gflops, "speed of the simulated core in Gflop/s");
  app.add_option("-o,--output", output, "output file; default: the standard output");
  try {
    app.parse(argc, argv);
    return write(config, output);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ConfigError& error) {
    std::cerr << "skeleton: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "skeleton: " << error.what() << '\n';
    return 1;
  }
}
