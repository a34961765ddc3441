// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/cenju4_job.h"

#include <algorithm>

namespace tsuji::platform {

class Cenju4Job::Task final : public host::Program {
 public:
  Task(machines::Cenju4Node& its_node, unsigned its_number, const machines::Cenju4Config& config)
      : node(its_node),
        number(its_number),
        runtime(node.processor(), node.layout(number), config.library,
                config.software.in_cycles(config.period()), node.services(number)) {}
  void run(host::Cpu&) override { program->run(); }

  machines::Cenju4Node& node;
  const unsigned number;  ///< on its processor
  host::RankRuntime runtime;
  std::unique_ptr<host::RankProgram> program;
};

Cenju4Job::Cenju4Job(machines::Cenju4Nodes& machine, unsigned job) : machine_(machine), number_(job) {
  for (const NodeId node : machine.config().placement(job)) {
    for (const auto& rank : machine.config().ranks_on(node)) {
      if (rank.job == job)
        tasks_.push_back(std::make_unique<Task>(machine.node(node), rank.task, machine.config()));
    }
  }
  machine_.set_waiting_report(number_, [this] { return waiting(); });
}

Cenju4Job::~Cenju4Job() {
  machine_.set_waiting_report(number_, nullptr);
}

void Cenju4Job::load(const MakeProgram& make) {
  for (unsigned rank = 0; rank < ranks(); ++rank) {
    tasks_[rank]->program = make(tasks_[rank]->runtime);
    machine_.set_program(tasks_[rank]->runtime.cpu.node(), *tasks_[rank], tasks_[rank]->number);
  }
  start_ = machine_.last_cycle();
}

void Cenju4Job::run(const std::function<void(Cycle)>& on_slice, const std::function<Cycle()>& next_stop) {
  constexpr Cycle slice_cycles = 20000;
  machine_.run(slice_cycles, on_slice, next_stop);
  ran();
}

void Cenju4Job::ran() {
  end_ = 0;
  for (const auto& task : tasks_) end_ = std::max(end_, task->node.processor().end_cycle(task->number));
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
