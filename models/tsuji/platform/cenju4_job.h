// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/host/library/rank_program.h"
#include "tsuji/host/library/rank_runtime.h"
#include "tsuji/host/processor.h"
#include "tsuji/machines/cenju4/cenju4_nodes.h"

namespace tsuji::platform {

/// A parallel program of a machine: one rank a node, on the nodes of its placement, on one message library,
/// and phases that run one after the other. Between two phases the machine is empty. Several jobs of one
/// machine are loaded one by one and run together.
class Cenju4Job {
 public:
  using MakeProgram = std::function<std::unique_ptr<host::RankProgram>(host::RankRuntime&)>;

  /// `job`: its number among the machine's placements.
  explicit Cenju4Job(machines::Cenju4Nodes& machine, unsigned job = 0);
  ~Cenju4Job();

  unsigned ranks() const { return static_cast<unsigned>(tasks_.size()); }
  /// Gives every rank its program for the next phase.
  void load(const MakeProgram& make);
  /// Runs the phase of all jobs to its end; `on_slice` is called now and then. Throws what a model threw, or
  /// ModelError with a report if ranks wait for each other forever.
  void run(const std::function<void(Cycle)>& on_slice);
  /// The phase of this job has been run by another one's run().
  void ran();

  template <class ProgramType>
  const ProgramType& program(unsigned rank) const {
    return static_cast<const ProgramType&>(program_of(rank));
  }
  Cycle start_cycle() const { return start_; }
  Cycle end_cycle() const { return end_; }

 private:
  class Task;
  const host::RankProgram& program_of(unsigned rank) const;
  std::string waiting() const;

  machines::Cenju4Nodes& machine_;
  const unsigned number_;
  std::vector<std::unique_ptr<Task>> tasks_;
  Cycle start_ = 0, end_ = 0;
};

}  // namespace tsuji::platform
