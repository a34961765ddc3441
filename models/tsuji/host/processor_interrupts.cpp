// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/processor.h"

#include <utility>

namespace tsuji::host {
namespace {

enum Signal : unsigned { task_signal, activity_signal, interrupt_signal };

}  // namespace

void Processor::rest() {
  if (!time_.takes_interrupt()) suspend(ProcessorWait::rest);
  if (time_.takes_interrupt()) handle_interrupt();
}

void Processor::pass(Cycle cycles) {
  while (cycles > 0 || time_.takes_interrupt()) {
    if (time_.takes_interrupt()) {
      handle_interrupt();
      continue;
    }
    const Cycle end = time_.cycle() + cycles;
    resume_at(end);
    suspend(ProcessorWait::time);
    cycles = end - time_.cycle();
  }
}

void Processor::raised(Cycle) {
  if (handler_ == nullptr) fail("was interrupted without a handler");
  // The first edge of ours: the device's lies between two of them.
  const Cycle edge = cycle_at_present();
  if (wave_) wave_->show(edge, interrupt_signal, 1);
  if (time_.interrupt(InterruptCause::device, edge)) wake_at(edge);
}

void Processor::handle_interrupt() {
  time_.enter_handler();
  ++counters_.interrupts;
  const Cycle begin = time_.cycle();
  show(Activity::interrupt);
  spend(costs_.interrupt);
  if (time_.take(InterruptCause::device)) handler_->interrupt(*this);
  unsigned next = present_;
  // The timer may come when the last task but one, for which it was set, has ended.
  if (time_.take(InterruptCause::tasks) && (others_runnable() || runnable(*task_))) {
    for (unsigned task = 0; task < tasks(); ++task) runnable_[task] = runnable(*tasks_[task]);
    next = handler_->schedule(*this, present_, runnable_);
  }
  synchronize();
  counters_.interrupted_cycles += time_.cycle() - begin;
  time_.leave_handler();
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
  wave_->show(time_.cycle(), task_signal, present_);
  wave_->show(time_.cycle(), activity_signal, static_cast<std::uint64_t>(activity));
  wave_->show(time_.cycle(), interrupt_signal, time_.is_noted(InterruptCause::device) ? 1 : 0);
}

}  // namespace tsuji::host
