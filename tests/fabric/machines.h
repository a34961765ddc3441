#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/fabric/cenju4/cenju4_machine.h"
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

/// A configuration with everything small, so that queues, TLBs and buffers run over their borders.
fabric::Cenju4Config small_machine(unsigned nodes);

/// The same configuration as four machines that must not differ: events, a process a module, modules in
/// random order, flit by flit. All of them run in one simulation.
struct Variants {
  explicit Variants(const fabric::Cenju4Config& config);
  struct One {
    std::string name;
    std::unique_ptr<fabric::Cenju4Machine> machine;
    std::unique_ptr<platform::Cenju4Job> job;
  };
  std::vector<One> all;
};

/// Runs `body` on all ranks of a job, which is handed the rank's runtime.
void run_script(platform::Cenju4Job& job, const Script::Body& body);

/// Sent + replicated - merged - dropped = delivered, and nothing is left in switches and on channels.
void check_accounts(const fabric::Cenju4Machine& machine);

}  // namespace tsuji::test
