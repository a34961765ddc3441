// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/machines/cenju4/cenju4_machine.h"
#include "tsuji/platform/cenju4_job.h"

namespace tsuji::test {

/// A rank's program as a function.
class Script final : public host::RankProgram {
 public:
  using Body = std::function<void(host::RankRuntime&)>;
  Script(host::RankRuntime& runtime, Body body) : runtime_(runtime), body_(std::move(body)) {}
  void run() override {
    runtime_.collectives.start();
    body_(runtime_);
    finished_ = true;
  }
  workload::RankState state() const override {
    workload::RankState state;
    state.rank = runtime_.rank();
    state.finished = finished_;
    state.doing = "a script";
    return state;
  }

 private:
  host::RankRuntime& runtime_;
  Body body_;
  bool finished_ = false;
};

/// A configuration with everything small, so that queues, TLBs and buffers reach their limits.
machines::Cenju4Config small_machine(unsigned nodes);

/// One configuration as four machines that must not differ: events, a process a module, modules in random
/// order, flit by flit. All of them run in one simulation.
struct Variants {
  explicit Variants(const machines::Cenju4Config& config);
  struct One {
    std::string name;
    std::unique_ptr<machines::Cenju4Machine> machine;
    std::unique_ptr<platform::Cenju4Job> job;
  };
  std::vector<One> all;
};

/// Runs `body` on all ranks of a job, with the rank's runtime.
void run_script(platform::Cenju4Job& job, const Script::Body& body);

/// Checks that sent + replicated - merged - dropped = delivered, and switches and channels are empty.
void check_accounts(const machines::Cenju4Machine& machine);

/// Runs a rank's part on all variants of a machine, which must end in the same cycle. Each variant has one
/// log, made before the run and examined after it.
template <class Log>
void on_all_variants(const machines::Cenju4Config& config,
                     const std::function<void(host::RankRuntime&, Log&)>& part,
                     const std::function<void(const Log&)>& look) {
  Variants variants(config);
  std::vector<Log> logs(variants.all.size());
  for (std::size_t v = 0; v < logs.size(); ++v)
    variants.all[v].job->load([&part, log = &logs[v]](host::RankRuntime& runtime) {
      return std::make_unique<Script>(runtime, [&part, log](host::RankRuntime& own) { part(own, *log); });
    });
  for (std::size_t v = 0; v < logs.size(); ++v) {
    INFO(variants.all[v].name);
    REQUIRE_NOTHROW(variants.all[v].job->run([](Cycle) {}));
    CHECK(variants.all[v].job->end_cycle() == variants.all[0].job->end_cycle());
    check_accounts(*variants.all[v].machine);
    look(logs[v]);
  }
}

}  // namespace tsuji::test
