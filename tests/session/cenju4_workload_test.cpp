// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/crosspoint/crosspoint_switch.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/host/library/library_program.h"
#include "tsuji/session/cenju4/cenju4_main.h"
#include "tsuji/session/cenju4/cenju4_phases.h"

using namespace tsuji;

namespace {

/// A rank computes for a time that depends on its number.
class Computes final : public host::LibraryProgram {
 public:
  Computes(host::RankRuntime& runtime, Cycle cycles) : LibraryProgram(runtime), cycles_(cycles) {}
  Cycle end_cycle() const { return end_; }
  Cycle start_cycle() const { return start_; }

 private:
  void play() override {
    start_ = runtime_.cpu.now();
    runtime_.cpu.compute(cycles_ * (runtime_.rank() + 1));
    end_ = runtime_.cpu.now();
  }
  const Cycle cycles_;
  Cycle start_ = 0, end_ = 0;
};

/// Two phases, the second twice as long, in which ranks compute.
class ComputesWorkload final : public session::Cenju4Workload {
  void add_keys(config::KeyTable& keys) override {
    keys.add("workload.own_cycles", cycles_, {1, 1000}, "cycles", "time of rank 0");
  }
  void validate_with(const machines::Cenju4Config& machine) const override {
    if (cycles_ == machine.network.topology.nodes)
      throw ConfigError("workload.own_cycles", std::to_string(cycles_), "as many as nodes", "another number");
  }
  void place(machines::Cenju4Config& machine) override { machine.jobs.push_back({0, 1, 2}); }
  void play(session::Cenju4Phases& phases) override {
    phases.run_programs<Computes>("once", cycles_);
    const auto& last = phases.program<Computes>(2);
    phases.results().metric("own_ranks", phases.job().ranks(), "");
    phases.results().metric("own_cycles", last.end_cycle() - last.start_cycle(), "cycles");
    phases.results().metric("own_cycles_us", phases.us(last.end_cycle() - last.start_cycle()), "us");
    phases.run_programs<Computes>("twice", 2 * cycles_);
  }
  Cycle cycles_ = 100;
};

struct Fails final : session::Cenju4Workload {
  void play(session::Cenju4Phases& phases) override {
    phases.run_programs<Computes>("once", Cycle{1});
    throw ModelError("own workload", phases.job().end_cycle(), "", "has failed");
  }
};

/// The crosspoint switch with a different number of cycles for single casts.
struct LateSwitch {
  unsigned late_cycles = 100;
  void add_keys(config::KeyTable& keys) {
    keys.add("switch.late_cycles", late_cycles, {1, 500}, "cycles", "cycles of a single cast more");
  }
  void validate() const {
    if (late_cycles == 13) throw ConfigError("switch.late_cycles", "13", "bad luck", "another number");
  }
  crosspoint::SwitchKind make(const crosspoint::CrosspointConfig& config) const {
    crosspoint::CrosspointConfig late = config;
    late.single_cast_cycles += late_cycles;
    return crosspoint::crosspoint_switch(late);
  }
};

int run(const std::string& folder, const std::vector<std::string>& settings) {
  session::Cenju4Program program;
  program.add_kinds = [](session::Cenju4RunConfig& config) {
    session::add_workload<ComputesWorkload>(config.workloads, "computes", {"", {"library.realignment"}});
    session::add_workload<Fails>(config.workloads, "fails");
    config.kind = "computes";
    config.machine.network.switch_kinds.add<LateSwitch>("late");
    config.machine.network.topology.nodes = 4;
    config.machine.network.topology.radix = 4;
  };
  std::vector<std::string> words = {"/some/where/own_machine", "--quiet", "--out", folder};
  for (const std::string& setting : settings) {
    words.emplace_back("--set");
    words.push_back(setting);
  }
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return session::cenju4_main(static_cast<int>(argv.size()), argv.data(), program);
}

nlohmann::json results_in(const std::string& folder) {
  std::ifstream file(folder + "/result.json");
  return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("a custom workload runs its phases on its chosen nodes") {
  const test::TemporaryFolder folder;
  REQUIRE(run(folder.file("out"), {"workload.own_cycles=50", "library.realignment=software"}) == 0);
  const nlohmann::json results = results_in(folder.file("out"));
  CHECK(results["platform"] == "own_machine");
  CHECK(results["metrics"]["own_ranks"]["value"] == 3);
  CHECK(results["metrics"]["own_cycles"]["value"] == 150);
  CHECK(results["metrics"]["own_cycles_us"]["value"] == 150 / 80.0);
  const auto& rows = results["tables"]["phases"]["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0][0] == "once");
  CHECK(rows[1][0] == "twice");
  CHECK(rows[1][1].get<double>() >= rows[0][2].get<double>());
  CHECK(rows[1][2].get<double>() - rows[1][1].get<double>() >= 300 / 80.0);
}

TEST_CASE("a custom workload refuses unsuitable keys, and its own keys have no effect without it") {
  const test::TemporaryFolder folder;
  const std::string out = folder.file("out");
  CHECK(run(out, {"workload.own_cycles=4"}) == 2);
  CHECK(run(out, {"workload.own_cycles=1001"}) == 2);
  CHECK(run(out, {"workload.kind=boot", "workload.own_cycles=5"}) == 2);
  // Only workloads that declare it read this key.
  CHECK(run(out, {"workload.kind=fails", "library.realignment=software"}) == 2);
  CHECK(run(out, {"traffic.pattern=transpose"}) == 2);
}

TEST_CASE("a failing custom workload ends the run as a model failure") {
  const test::TemporaryFolder folder;
  CHECK(run(folder.file("out"), {"workload.kind=fails"}) == 1);
}

TEST_CASE("a custom switch is chosen by a key, and has keys") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("one.list")) << "5 0 3 20\n";
  CHECK(run(folder.file("out"), {"switch.late_cycles=50"}) == 2);
  CHECK(run(folder.file("out"), {"switch.kind=late", "switch.late_cycles=13"}) == 2);
  CHECK(run(folder.file("out"), {"switch.kind=later"}) == 2);
  REQUIRE(run(folder.file("out"),
              {"workload.kind=synthetic", "traffic.kind=list", "traffic.list=" + folder.file("one.list"),
               "switch.kind=late", "switch.late_cycles=50"}) == 0);
  graph::MultistageConfig topology;
  topology.nodes = topology.radix = 4;
  // The head passes a switch of every stage, followed by 20 flits.
  const unsigned stages = graph::Multistage(topology).stages();
  CHECK(results_in(folder.file("out"))["metrics"]["latency_cycles_mean"]["value"] ==
        stages * (crosspoint::CrosspointConfig{}.single_cast_cycles + 50.0) + 20.0);
}
