#include "tsuji/host/processor.h"

namespace tsuji::host {

void Processor::rest() {
  may_cut_ = true;
  suspend();
  may_cut_ = false;
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
  if (!may_cut_ || in_handler_) return;
  // The first edge of ours: the device's lies between two of them.
  const Cycle edge = domain().cycle_at_kernel_time();
  if (resume_at_ <= edge) return;
  asleep_ = false;
  resume_at(edge);
}

void Processor::handle_interrupt() {
  pending_ = false;
  in_handler_ = true;
  ++counters_.interrupts;
  const Cycle begin = cycle_;
  spend(interrupt_);
  handler_->interrupt(*this);
  synchronize();
  counters_.interrupted_cycles += cycle_ - begin;
  in_handler_ = false;
}

}  // namespace tsuji::host
