// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/processor.h"

#include <utility>

namespace tsuji::host {
namespace {

enum Signal : unsigned { task_signal, activity_signal, interrupt_signal };

}  // namespace

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
  if (wave_) wave_->show(edge, interrupt_signal, 1);
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
  show(Activity::interrupt);
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
  show(runnable(*task_) ? Activity::running : Activity::ended);
  if (next != present_)
    hand_over(next);
  else
    set_timer();
}

void Processor::add_wave(observe::Wave& wave) {
  using observe::WaveFormat;
  wave_ = std::make_unique<WaveGroup>(wave, domain(), "node" + std::to_string(node_) + ".processor",
                                      std::move(wave_));
  wave_->add("task", 8, WaveFormat::decimal);
  wave_->add("activity", 2, WaveFormat::decimal, {"running", "polling", "interrupt", "ended"});
  wave_->add("interrupt", 1, WaveFormat::binary);
}

void Processor::show(Activity activity) {
  if (!wave_) return;
  wave_->show(cycle_, task_signal, present_);
  wave_->show(cycle_, activity_signal, static_cast<std::uint64_t>(activity));
  wave_->show(cycle_, interrupt_signal, pending_ ? 1 : 0);
}

}  // namespace tsuji::host
