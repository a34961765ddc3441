#include "tsuji/host/processor.h"

#include <utility>

namespace tsuji::host {

void Processor::rest() {
  if (!takes_interrupt()) {
    may_cut_ = true;
    suspend();
    may_cut_ = false;
  }
  if (takes_interrupt()) handle_interrupt();
}

void Processor::pass(Cycle cycles) {
  while (cycles > 0 || takes_interrupt()) {
    if (takes_interrupt()) {
      handle_interrupt();
      continue;
    }
    const Cycle end = cycle_ + cycles;
    may_cut_ = true;
    resume_at(end);
    suspend();
    may_cut_ = false;
    cycles = end - cycle_;
  }
}

void Processor::raised(Cycle) {
  if (handler_ == nullptr) fail("was interrupted without a handler");
  pending_ = true;
  // The first edge of ours: the device's lies between two of them.
  const Cycle edge = domain().cycle_at_kernel_time();
  if (cuts(edge)) resume_at(edge);
}

/// A program that only lets time pass is to go on at this edge.
bool Processor::cuts(Cycle edge) {
  if (!may_cut_ || in_handler_ || resume_at_ <= edge) return false;
  asleep_ = false;
  return true;
}

void Processor::handle_interrupt() {
  in_handler_ = true;
  ++counters_.interrupts;
  const Cycle begin = cycle_;
  spend(interrupt_);
  if (pending_) {
    pending_ = false;
    handler_->interrupt(*this);
  }
  unsigned next = present_;
  // The timer may come when the last task but one, for which it was set, has ended.
  if (std::exchange(reschedule_, false) && (others_runnable() || runnable(*task_))) {
    for (unsigned task = 0; task < tasks(); ++task) runnable_[task] = runnable(*tasks_[task]);
    next = handler_->schedule(*this, present_, runnable_);
  }
  synchronize();
  counters_.interrupted_cycles += cycle_ - begin;
  in_handler_ = false;
  if (next != present_)
    hand_over(next);
  else
    set_timer();
}

}  // namespace tsuji::host
