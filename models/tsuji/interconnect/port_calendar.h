// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <queue>
#include <systemc>
#include <tuple>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji {
class ClockDomain;
}

namespace tsuji::interconnect {

/// Work of a socket's side that is due at a time.
enum class PortEvent : std::uint8_t {
  serve,          ///< look at what the network has brought, and at what may be sent on
  begin_request,  ///< BEGIN_REQ with annotated time is due
  end_request,    ///< END_REQ is due
  end_response,   ///< END_RESP is due
  answer,         ///< the network's own answer, an error, is due
  held,           ///< for a waveform: a request has arrived (item 1) or its response has left (0)
  respond         ///< BEGIN_RESP, or TLM_COMPLETED, with annotated time is due
};

/// Side of a TlmNetwork at a socket: its work at the times of the calendar.
class Port {
 public:
  virtual ~Port() = default;
  /// Does the work of an event; `item` is the transaction, as the port numbers them.
  virtual void act(PortEvent event, std::uint32_t item) = 0;
};

/// Events of all ports of a TlmNetwork, in the order of time, then of the ports' numbers, then of their
/// announcement. The order in which a clock runs modules within a cycle never shows.
class PortCalendar {
 public:
  /// `clock` is the network's. The owner calls run() at wake().
  explicit PortCalendar(const ClockDomain& clock) : clock_(clock), wake_("ports_wake") {}

  /// Adds a port; ports are numbered from 0.
  unsigned add(Port& port);
  /// Announces an event at the kernel's time plus `after`.
  void in(const sc_core::sc_time& after, unsigned port, PortEvent event, std::uint32_t item = 0);
  /// Announces an event at the beginning of `cycle`, which is not before the kernel's time.
  void at_cycle(Cycle cycle, unsigned port, PortEvent event, std::uint32_t item = 0);
  /// PortEvent::serve in `cycle`, once for several calls.
  void serve(Cycle cycle, unsigned port);
  /// First cycle that begins after the kernel's time: the one in which the network sees what happens now.
  Cycle next_cycle() const;
  /// Last cycle that began at the kernel's time or before it.
  Cycle current_cycle() const { return next_cycle() - 1; }
  const ClockDomain& clock() const { return clock_; }
  const sc_core::sc_event& wake() const { return wake_; }
  /// Does the work that is due.
  void run();

 private:
  struct Event {
    std::uint64_t at;
    unsigned port;
    std::uint64_t order;
    PortEvent kind;
    std::uint32_t item;
    bool operator>(const Event& other) const {
      return std::tie(at, port, order) > std::tie(other.at, other.port, other.order);
    }
  };
  void add_event(std::uint64_t at, unsigned port, PortEvent kind, std::uint32_t item);

  const ClockDomain& clock_;
  std::vector<Port*> ports_;
  std::vector<Cycle> serve_at_;  ///< [port]: latest cycle in which it is to be served
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t announced_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace tsuji::interconnect
