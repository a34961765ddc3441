// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>

#include "tsuji/host/processor.h"

namespace tsuji::host {

Processor::Task& Processor::task_at(unsigned number) {
  while (tasks_.size() <= number) tasks_.push_back(std::make_unique<Task>());
  runnable_.resize(tasks_.size());
  task_ = tasks_.front().get();
  return *tasks_[number];
}

Picoseconds Processor::present_ps() const {
  return main_clock_ == nullptr ? sc_core::sc_time_stamp().value() : main_clock_->present_ps();
}

/// Our first edge at the present time or later.
Cycle Processor::cycle_at_present() const {
  const Picoseconds first = domain().ps_of(0), present = present_ps();
  const std::uint64_t period = domain().period().ps();
  return present <= first ? 0 : (present - first + period - 1) / period;
}

/// Tasks get their threads with the first program of any of them.
void Processor::end_of_elaboration() {
  const auto first =
      std::find_if(tasks_.begin(), tasks_.end(), [](const auto& task) { return task->program != nullptr; });
  if (first == tasks_.end() && handler_ == nullptr) return;
  if (tasks() > 1 && handler_ == nullptr) fail("has several tasks and no operating system");
  for (const auto& task : tasks_) spawn(*task);
  has_threads_ = true;
  if (first == tasks_.end()) return time_.begin(ProcessorWait::rest);
  time_.begin(ProcessorWait::answer);
  resume_at(0);  // task 0, which the operating system has loaded; without a program it hands over
  set_timer();
}

void Processor::spawn(Task& task) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(static_cast<int>(config_.stack_bytes));
  options.dont_initialize();
  options.set_sensitivity(&task.resume);
  sc_core::sc_spawn([this, &task] { run_program(task); }, sc_core::sc_gen_unique_name("program"), &options);
}

void Processor::start(Program& program, unsigned number) {
  Task& task = *tasks_[number];
  if (!has_threads_ || runnable(task))
    fail("cannot start a program before its threads exist or while another program runs");
  const bool rests = !runnable(*task_);
  task.program = &program;
  task.finished = false;
  if (!rests) return set_timer();
  if (number != present_) time_.note(InterruptCause::tasks);
  if (!time_.in_handler()) resume_at(cycle_at_present() + 1);
}

void Processor::run_program(Task& task) {
  try {
    for (;;) {
      if (task.program != nullptr) {
        show(Activity::running);
        task.program->run(*this);
        synchronize();
        task.end_cycle = time_.cycle();
      }
      task.finished = true;
      show(Activity::ended);
      if (others_runnable()) time_.note(InterruptCause::tasks);
      if (time_.takes_interrupt())
        handle_interrupt();  // the first thing that a processor without program does
      while (task.finished) rest();
    }
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel ends the thread
  } catch (...) {
    domain().fail(std::current_exception());
  }
}

bool Processor::others_runnable() const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [this](const auto& task) { return task.get() != task_ && runnable(*task); });
}

/// On the grid of the time slice, so that the nodes of a machine change their tasks at one time.
void Processor::set_timer() {
  if (slice_.cycles == 0 || slice_.end != never || !others_runnable()) return;
  slice_.end = (cycle_at_present() / slice_.cycles + 1) * slice_.cycles;
  wake_at(slice_.end);
}

/// Returns when this task has the processor again.
void Processor::hand_over(unsigned to) {
  Task& own = *task_;
  ++counters_.task_switches;
  present_ = to;
  task_ = tasks_[to].get();
  set_timer();
  task_->resume.notify();
  show(runnable(*task_) ? Activity::running : Activity::ended);
  sc_core::wait();  // for Task::resume
  // The task's cache lines were not watched while it was suspended.
  for (Poll* poll = own.poll; poll != nullptr; poll = poll->outer) poll->lost = true;
}

}  // namespace tsuji::host
