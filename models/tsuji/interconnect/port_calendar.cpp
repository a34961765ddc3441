// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/port_calendar.h"

#include "tsuji/clock/clock_domain.h"

namespace tsuji::interconnect {

unsigned PortCalendar::add(Port& port) {
  ports_.push_back(&port);
  serve_at_.push_back(never);
  return static_cast<unsigned>(ports_.size() - 1);
}

void PortCalendar::in(const sc_core::sc_time& after, unsigned port, PortEvent event, std::uint32_t item) {
  add_event((sc_core::sc_time_stamp() + after).value(), port, event, item);
}

void PortCalendar::at_cycle(Cycle cycle, unsigned port, PortEvent event, std::uint32_t item) {
  add_event(clock_.ps_of(cycle), port, event, item);
}

void PortCalendar::serve(Cycle cycle, unsigned port) {
  if (serve_at_[port] == cycle) return;
  serve_at_[port] = cycle;
  at_cycle(cycle, port, PortEvent::serve);
}

Cycle PortCalendar::next_cycle() const {
  const Cycle cycle = clock_.cycle_at_kernel_time();
  return clock_.ps_of(cycle) > sc_core::sc_time_stamp().value() ? cycle : cycle + 1;
}

/// The clock may run ahead of the kernel, so an event is always announced by the time from the kernel's on.
void PortCalendar::add_event(std::uint64_t at, unsigned port, PortEvent kind, std::uint32_t item) {
  events_.push({at, port, announced_++, kind, item});
  wake_.notify(sc_core::sc_time::from_value(at - sc_core::sc_time_stamp().value()));
}

void PortCalendar::run() {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  while (!events_.empty() && events_.top().at <= now) {
    const Event event = events_.top();
    events_.pop();
    if (event.kind == PortEvent::serve && serve_at_[event.port] != never &&
        clock_.ps_of(serve_at_[event.port]) == event.at)
      serve_at_[event.port] = never;
    ports_[event.port]->act(event.kind, event.item);
  }
  if (!events_.empty()) wake_.notify(sc_core::sc_time::from_value(events_.top().at - now));
}

}  // namespace tsuji::interconnect
