// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tsuji/core/units.h"

namespace tsuji::host {

/// Reason for which the program on a processor waits.
enum class ProcessorWait : std::uint8_t {
  none,    ///< it runs
  answer,  ///< of memory, or its first cycle: an interrupt comes after it
  time,    ///< a cycle: an interrupt comes before it
  line,    ///< another's write to a polled line: an interrupt comes before it
  rest,    ///< it has ended: an interrupt or the next program comes
};

/// Cause of an interrupt.
enum class InterruptCause : std::uint8_t {
  device,  ///< the interrupt line
  tasks,   ///< the end of a time slice or of a program
};

/// A program's time, and the interrupts that cut its waits, without SystemC (rooms/host.md, Waits of a
/// program).
///
/// Contract: begin() names the wait before the program waits, resume_at() and interrupt() set the cycle in
/// which it resumes, and resumes() of that cycle ends the wait. An interrupt's handler runs between
/// enter_handler() and leave_handler().
class ProcessorTime {
 public:
  /// The cycle in which the program last ran.
  Cycle cycle() const { return cycle_; }
  /// Time that the program has used since then and not yet waited for.
  Cycle owed() const { return owed_; }
  Cycle now() const { return cycle_ + owed_; }
  void spend(Cycle cycles) { owed_ += cycles; }
  Cycle take_owed() { return std::exchange(owed_, 0); }

  ProcessorWait wait() const { return wait_; }
  void begin(ProcessorWait wait) { wait_ = wait; }
  /// The program resumes in `cycle`, whatever it waits for.
  void resume_at(Cycle cycle) {
    resume_at_ = cycle;
    if (wait_ == ProcessorWait::line) wait_ = ProcessorWait::time;
  }
  /// Cycle `now` begins: returns whether the program resumes in it.
  bool resumes(Cycle now) {
    if (now != resume_at_) return false;
    resume_at_ = never;
    cycle_ = now;
    wait_ = ProcessorWait::none;
    return true;
  }

  /// A cause that the next handler looks at.
  void note(InterruptCause cause) { causes_ |= bit(cause); }
  /// The same at an edge of the clock: returns whether it cuts the program's wait, which then ends at `edge`.
  bool interrupt(InterruptCause cause, Cycle edge) {
    note(cause);
    if (!cuts() || resume_at_ <= edge) return false;
    resume_at(edge);
    return true;
  }
  bool is_noted(InterruptCause cause) const { return (causes_ & bit(cause)) != 0; }
  /// Returns whether the cause was noted, and forgets it.
  bool take(InterruptCause cause) {
    const bool noted = is_noted(cause);
    causes_ &= static_cast<std::uint8_t>(~bit(cause));
    return noted;
  }
  /// A handler is due as soon as the program's wait has ended.
  bool takes_interrupt() const { return causes_ != 0 && !in_handler_; }
  bool in_handler() const { return in_handler_; }
  void enter_handler() { in_handler_ = true; }
  void leave_handler() { in_handler_ = false; }

 private:
  static constexpr std::uint8_t bit(InterruptCause cause) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(cause));
  }
  /// A handler's own waits are never cut.
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
