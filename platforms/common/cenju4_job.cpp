#include "tsuji/platform/cenju4_job.h"

#include <algorithm>

namespace tsuji::platform {

class Cenju4Job::Task final : public host::Program {
 public:
  Task(fabric::Cenju4Node& node, const fabric::Cenju4Config& config)
      : runtime(node.processor(), node.layout(), config.library, config.software.in_cycles(config.period()),
                node) {}
  void run(host::Cpu&) override { program->run(); }

  host::RankRuntime runtime;
  std::unique_ptr<host::RankProgram> program;
};

Cenju4Job::Cenju4Job(fabric::Cenju4Nodes& machine) : machine_(machine) {
  for (NodeId node = 0; node < machine.nodes(); ++node) {
    tasks_.push_back(std::make_unique<Task>(machine.node(node), machine.config()));
  }
  machine_.set_waiting_report([this] { return waiting(); });
}

Cenju4Job::~Cenju4Job() {
  machine_.set_waiting_report(nullptr);
}

void Cenju4Job::load(const MakeProgram& make) {
  for (unsigned rank = 0; rank < ranks(); ++rank) {
    tasks_[rank]->program = make(tasks_[rank]->runtime);
    machine_.set_program(rank, *tasks_[rank]);
  }
  start_ = machine_.last_cycle();
}

void Cenju4Job::run(const std::function<void(Cycle)>& on_slice) {
  constexpr Cycle slice_cycles = 20000;
  machine_.run(slice_cycles, on_slice);
  end_ = 0;
  for (NodeId node = 0; node < machine_.nodes(); ++node) {
    end_ = std::max(end_, machine_.node(node).processor().end_cycle());
  }
}

const host::RankProgram& Cenju4Job::program_of(unsigned rank) const {
  return *tasks_[rank]->program;
}

std::string Cenju4Job::waiting() const {
  std::vector<workload::RankState> states;
  for (const auto& task : tasks_) {
    if (task->program) states.push_back(task->program->state());
  }
  return workload::rank_wait_report(states);
}

}  // namespace tsuji::platform
