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

/// A parallel program on a machine: one rank on each node of the job's placement, one message library, and
/// phases that run one after the other. The machine is empty between two phases.
///
/// Contract, for each phase: load() on every job; run() on one job, which runs the phase of all jobs; ran()
/// on each other job. program(), start_cycle() and end_cycle() are valid after that.
class Cenju4Job {
 public:
  using MakeProgram = std::function<std::unique_ptr<host::RankProgram>(host::RankRuntime&)>;

  /// `job` is the index of the job among the machine's placements.
  explicit Cenju4Job(machines::Cenju4Nodes& machine, unsigned job = 0);
  ~Cenju4Job();

  unsigned ranks() const { return static_cast<unsigned>(tasks_.size()); }
  /// Creates every rank's program for the next phase.
  void load(const MakeProgram& make);
  /// Runs the phase of all jobs to its end; `on_slice` is called several times a second, and at each
  /// `next_stop` (Cenju4Nodes::run). Rethrows an exception of a model. Throws ModelError with a report if
  /// ranks wait for each other forever.
  void run(const std::function<void(Cycle)>& on_slice, const std::function<Cycle()>& next_stop = nullptr);
  /// Records that another job's run() has run this job's phase.
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
