// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/host/library/rank_program.h"
#include "tsuji/host/library/rank_runtime.h"

namespace tsuji::host {

/// Base of programs that run on a rank's library. They report their stage for programs that wait forever. All
/// ranks run a program in one order, so that blocks taken from the heap have equal addresses on all ranks.
class LibraryProgram : public RankProgram {
 public:
  explicit LibraryProgram(RankRuntime& runtime) : runtime_(runtime) {}
  void run() final {
    runtime_.collectives.start();
    play();
    finished_ = true;
  }
  workload::RankState state() const final {
    workload::RankState state;
    state.rank = runtime_.rank();
    state.finished = finished_;
    state.doing = stage_;
    state.in_collective = in_collective_;
    state.collectives = runtime_.collectives.entered();
    state.requests = runtime_.messages.open_requests();
    state.unreceived = runtime_.messages.unreceived();
    return state;
  }

 protected:
  virtual void play() = 0;
  void enter(const char* stage) { stage_ = stage; }
  void barrier() {
    in_collective_ = true;
    runtime_.collectives.barrier();
    in_collective_ = false;
  }
  RankRuntime& runtime_;

 private:
  const char* stage_ = "has not begun";
  bool in_collective_ = false;
  bool finished_ = false;
};

}  // namespace tsuji::host
