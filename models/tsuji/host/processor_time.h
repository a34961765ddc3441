// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tsuji/core/units.h"

namespace tsuji::host {

/// Reason for which the program on a processor waits.
enum class ProcessorWait : std::uint8_t {
  none,    ///< The program runs.
  answer,  ///< A response of memory, or the program's first cycle; an interrupt is taken after it.
  time,    ///< A given cycle; an interrupt is taken before it.
  line,    ///< A write of another master to a polled line; an interrupt is taken before it.
  rest,    ///< The program has ended; an interrupt or the next program ends the wait.
};

/// Cause of an interrupt.
enum class InterruptCause : std::uint8_t {
  device,  ///< The interrupt line of a device.
  tasks,   ///< The end of a time slice or of a program.
};

/// A program's time and the interrupts that end its waits, without SystemC.
///
/// Time is lazy: a hit or a computation takes effect at once and only adds its cycles to owed(); the thread
/// does not wait. Before an action that others can observe (a miss, a register access, a poll) the processor
/// waits once for all owed cycles. The thread therefore runs ahead of the simulated time between two such
/// actions:
///
///     action          load hit   compute(5)   load hit   register write
///     its time            1           5           1
///     owed()              1           6           7     7 are taken: one wait from cycle() to now()
///     cycle()            100         100         100    107 when resumes(107) has ended the wait
///     now()              101         106         107    107: the write takes place here
///
/// now() is at any time the cycle that the program would have reached if it had waited for each action. An
/// interrupt in cycle 103 ends the wait there: 4 cycles are left, and are waited for after the handler.
///
/// Contract: begin() names the wait before the program waits; resume_at() and interrupt() set the cycle in
/// which it resumes; resumes() for that cycle ends the wait. An interrupt's handler runs between
/// enter_handler() and leave_handler().
class ProcessorTime {
 public:
  /// Cycle in which the program last resumed.
  Cycle cycle() const { return cycle_; }
  /// Cycles that the program has used since cycle() and has not waited for.
  Cycle owed() const { return owed_; }
  Cycle now() const { return cycle_ + owed_; }
  void spend(Cycle cycles) { owed_ += cycles; }
  Cycle take_owed() { return std::exchange(owed_, 0); }

  ProcessorWait wait() const { return wait_; }
  void begin(ProcessorWait wait) { wait_ = wait; }
  /// Lets the program resume in `cycle`, whatever it waits for.
  void resume_at(Cycle cycle) {
    resume_at_ = cycle;
    if (wait_ == ProcessorWait::line) wait_ = ProcessorWait::time;
  }
  /// Called in every cycle `now`; returns true, and ends the wait, if the program resumes in it.
  bool resumes(Cycle now) {
    if (now != resume_at_) return false;
    resume_at_ = never;
    cycle_ = now;
    wait_ = ProcessorWait::none;
    return true;
  }

  /// Records a cause for the next handler.
  void note(InterruptCause cause) { causes_ |= bit(cause); }
  /// Records a cause at a clock edge. Returns true if the interrupt ends the program's wait, which then ends
  /// at `edge`.
  bool interrupt(InterruptCause cause, Cycle edge) {
    note(cause);
    if (!cuts() || resume_at_ <= edge) return false;
    resume_at(edge);
    return true;
  }
  bool is_noted(InterruptCause cause) const { return (causes_ & bit(cause)) != 0; }
  /// Returns true if the cause was recorded, and clears it.
  bool take(InterruptCause cause) {
    const bool noted = is_noted(cause);
    causes_ &= static_cast<std::uint8_t>(~bit(cause));
    return noted;
  }
  /// True if a handler must run as soon as the program's wait has ended.
  bool takes_interrupt() const { return causes_ != 0 && !in_handler_; }
  bool in_handler() const { return in_handler_; }
  void enter_handler() { in_handler_ = true; }
  void leave_handler() { in_handler_ = false; }

 private:
  static constexpr std::uint8_t bit(InterruptCause cause) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(cause));
  }
  /// True if an interrupt ends the present wait. A handler's own waits are never ended.
  bool cuts() const {
    return !in_handler_ &&
           (wait_ == ProcessorWait::time || wait_ == ProcessorWait::line || wait_ == ProcessorWait::rest);
  }

  Cycle cycle_ = 0;
  Cycle owed_ = 0;
  Cycle resume_at_ = never;
  ProcessorWait wait_ = ProcessorWait::none;
  std::uint8_t causes_ = 0;
  bool in_handler_ = false;
};

}  // namespace tsuji::host
