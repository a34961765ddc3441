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

/// Tasks get their threads with the first program of any of them.
void Processor::end_of_elaboration() {
  const auto first =
      std::find_if(tasks_.begin(), tasks_.end(), [](const auto& task) { return task->program != nullptr; });
  if (first == tasks_.end() && handler_ == nullptr) return;
  if (tasks() > 1 && handler_ == nullptr) fail("has several tasks and no operating system");
  for (const auto& task : tasks_) spawn(*task);
  has_threads_ = true;
  if (first == tasks_.end()) {
    may_cut_ = true;
    return;
  }
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
  if (!has_threads_ || runnable(task)) fail("was given a program while it has none, or runs another");
  const bool rests = !runnable(*task_);
  task.program = &program;
  task.finished = false;
  if (!rests) return set_timer();
  if (number != present_) reschedule_ = true;
  if (!in_handler_) resume_at(domain().cycle_at_kernel_time() + 1);
}

void Processor::run_program(Task& task) {
  try {
    for (;;) {
      if (task.program != nullptr) {
        show(Activity::running);
        task.program->run(*this);
        synchronize();
        task.end_cycle = cycle_;
      }
      task.finished = true;
      show(Activity::ended);
      reschedule_ = reschedule_ || others_runnable();
      if (takes_interrupt()) handle_interrupt();  // the first thing that a processor without program does
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
  if (time_slice_ == 0 || slice_end_ != never || !others_runnable()) return;
  slice_end_ = (domain().cycle_at_kernel_time() / time_slice_ + 1) * time_slice_;
  wake_at(slice_end_);
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
  sc_core::wait(own.resume);
  // Nobody has watched its lines.
  for (Poll* poll = own.poll; poll != nullptr; poll = poll->outer) poll->lost = true;
}

}  // namespace tsuji::host
