// SPDX-License-Identifier: Apache-2.0
// Waits of a program and the interrupts that cut them, without a simulation: every wait, inside and outside a
// handler.
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/host/processor_time.h"

using namespace tsuji;
using namespace tsuji::host;

namespace {

const std::vector<ProcessorWait> all_waits = {ProcessorWait::none, ProcessorWait::answer, ProcessorWait::time,
                                              ProcessorWait::line, ProcessorWait::rest};

/// Whether an interrupt is taken before the end of such a wait.
bool lets_time_pass(ProcessorWait wait) {
  return wait == ProcessorWait::time || wait == ProcessorWait::line || wait == ProcessorWait::rest;
}

bool has_cycle(ProcessorWait wait) {
  return wait == ProcessorWait::answer || wait == ProcessorWait::time;
}

/// A time in state `wait` since cycle 10, until cycle 50 if its end is known.
ProcessorTime waiting(ProcessorWait wait, bool in_handler) {
  ProcessorTime time;
  time.resume_at(10);
  time.resumes(10);
  if (in_handler) time.enter_handler();
  time.begin(wait);
  if (has_cycle(wait)) time.resume_at(50);
  return time;
}

}  // namespace

TEST_CASE("processor time: an interrupt cuts a program's wait for time, a line or work, and no other wait") {
  for (const ProcessorWait wait : all_waits) {
    for (const bool in_handler : {false, true}) {
      for (const InterruptCause cause : {InterruptCause::device, InterruptCause::tasks}) {
        CAPTURE(static_cast<unsigned>(wait), in_handler, static_cast<unsigned>(cause));
        ProcessorTime time = waiting(wait, in_handler);
        CHECK_FALSE(time.takes_interrupt());
        const bool cut = time.interrupt(cause, 30);
        CHECK(cut == (lets_time_pass(wait) && !in_handler));
        CHECK(time.is_noted(cause));
        CHECK(time.takes_interrupt() == !in_handler);
        CHECK(time.resumes(30) == cut);
        if (cut) {
          CHECK(time.cycle() == 30);
          CHECK(time.wait() == ProcessorWait::none);
        } else {
          CHECK(time.cycle() == 10);
          CHECK(time.resumes(50) == has_cycle(wait));
        }
        CHECK_FALSE(time.resumes(50));
      }
    }
  }
}

TEST_CASE("processor time: an interrupt leaves a wait that ends at its edge or before") {
  for (const Cycle edge : {50, 51}) {
    ProcessorTime time = waiting(ProcessorWait::time, false);
    CHECK_FALSE(time.interrupt(InterruptCause::device, edge));
    CHECK(time.takes_interrupt());
    CHECK(time.resumes(50));
  }
  ProcessorTime time = waiting(ProcessorWait::time, false);
  CHECK(time.interrupt(InterruptCause::device, 49));
  CHECK_FALSE(time.interrupt(InterruptCause::tasks, 49));  // it already continues then
  CHECK(time.resumes(49));
}

TEST_CASE("processor time: each cause is taken once, and none in a handler") {
  ProcessorTime time;
  time.note(InterruptCause::device);
  time.note(InterruptCause::device);
  CHECK(time.takes_interrupt());
  time.enter_handler();
  CHECK(time.in_handler());
  CHECK_FALSE(time.takes_interrupt());
  CHECK(time.take(InterruptCause::device));
  CHECK_FALSE(time.take(InterruptCause::device));
  CHECK_FALSE(time.take(InterruptCause::tasks));
  time.note(InterruptCause::tasks);
  time.leave_handler();
  CHECK(time.takes_interrupt());
  CHECK_FALSE(time.is_noted(InterruptCause::device));
  CHECK(time.take(InterruptCause::tasks));
  CHECK_FALSE(time.takes_interrupt());
}

TEST_CASE("processor time: an invalidated line ends the wait at the next turn") {
  ProcessorTime time = waiting(ProcessorWait::line, false);
  for (Cycle cycle = 11; cycle < 40; ++cycle) CHECK_FALSE(time.resumes(cycle));
  time.resume_at(44);
  CHECK(time.wait() == ProcessorWait::time);
  CHECK(time.interrupt(InterruptCause::device, 42));  // before the turn
  CHECK(time.resumes(42));
  CHECK_FALSE(time.resumes(44));
  time = waiting(ProcessorWait::rest, false);
  time.resume_at(44);  // the next program
  CHECK(time.wait() == ProcessorWait::rest);
  CHECK(time.resumes(44));
}

TEST_CASE("processor time: unwaited time counts on top of the current cycle until it is waited for") {
  ProcessorTime time = waiting(ProcessorWait::time, false);
  REQUIRE(time.resumes(50));
  time.spend(7);
  time.spend(5);
  CHECK(time.cycle() == 50);
  CHECK(time.owed() == 12);
  CHECK(time.now() == 62);
  CHECK(time.take_owed() == 12);
  CHECK(time.owed() == 0);
  CHECK(time.now() == 50);
}

TEST_CASE("processor time: a program under random interrupts waits as long as one without interrupts") {
  CounterRandom random(45, 3);
  for (unsigned run = 0; run < 200; ++run) {
    ProcessorTime time;
    const Cycle work = 1 + random.below(300);
    Cycle left = work, handled = 0, now = 0;
    while (left > 0) {
      const Cycle end = now + left;
      time.begin(ProcessorWait::time);
      time.resume_at(end);
      const Cycle edge = now + 1 + random.below(2 * left);
      const bool cut = time.interrupt(InterruptCause::device, edge);
      REQUIRE(cut == (edge < end));
      for (++now; !time.resumes(now); ++now) REQUIRE(now < end);
      REQUIRE(now == (cut ? edge : end));
      left = end - now;
      time.enter_handler();
      REQUIRE(time.take(InterruptCause::device));
      const Cycle handler = random.below(20);
      handled += handler;
      now += handler;
      time.begin(ProcessorWait::time);
      time.resume_at(now);
      REQUIRE_FALSE(time.interrupt(InterruptCause::tasks, now - handler));
      REQUIRE(time.take(InterruptCause::tasks));
      REQUIRE(time.resumes(now));
      time.leave_handler();
    }
    CHECK(now == work + handled);
  }
}
