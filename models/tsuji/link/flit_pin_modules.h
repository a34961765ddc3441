// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/flit_pins.h"

namespace tsuji {

/// Signals between the two modules of one direction of a link. They change at the beginning of a cycle and
/// are sampled in the middle of it.
struct FlitWires {
  explicit FlitWires(const std::string& name);
  sc_core::sc_signal<bool> valid, head, tail;
  sc_core::sc_signal<std::uint32_t> vc, packet;
  sc_core::sc_signal<std::uint32_t> credit;  ///< one bit per virtual channel
};

/// The clock cycle in whose middle the kernel's time is, for processes that sample pins. ModelError if the
/// clock has run ahead of the kernel's time (ClockDomain::run_ahead).
Cycle cycle_of_pins(const ClockDomain& domain);

/// Ports of a module at one end of FlitWires: sc_out for flits and sc_in for credits at the sending end,
/// sc_in and sc_out at the receiving end.
template <template <class> class Flits, template <class> class Credits>
struct FlitPinPorts {
  Flits<bool> valid, head, tail;
  Flits<std::uint32_t> vc, packet;
  Credits<std::uint32_t> credit;

  void bind(FlitWires& wires) {
    valid.bind(wires.valid);
    head.bind(wires.head);
    tail.bind(wires.tail);
    vc.bind(wires.vc);
    packet.bind(wires.packet);
    credit.bind(wires.credit);
  }
};

/// Module that replaces a channel's receiver by pins (FlitPinDriver).
class FlitsToPins final : public sc_core::sc_module,
                          public Clocked,
                          public FlitPinPorts<sc_core::sc_out, sc_core::sc_in>,
                          public Described {
 public:
  std::string stands_for() const override { return "pins in the place of a channel's receiver"; }
  FlitsToPins(sc_core::sc_module_name name, ClockDomain& domain, FlitChannel& channel, Arena& arena);
  void step(Cycle now) override;

  SC_HAS_PROCESS(FlitsToPins);

 private:
  void end_of_elaboration() override;
  void sample_credits();

  FlitChannel& channel_;
  Arena& arena_;
  std::unique_ptr<FlitPinDriver> driver_;
  bool in_middle_ = false;
};

/// Module that replaces a channel's sender by pins (FlitPinSampler).
class PinsToFlits final : public sc_core::sc_module,
                          public Clocked,
                          public FlitPinPorts<sc_core::sc_in, sc_core::sc_out>,
                          public Described {
 public:
  std::string stands_for() const override { return "pins in the place of a channel's sender"; }
  PinsToFlits(sc_core::sc_module_name name, ClockDomain& domain, FlitChannel& channel, Arena& arena);
  void step(Cycle now) override;

  SC_HAS_PROCESS(PinsToFlits);

 private:
  void end_of_elaboration() override;
  void sample_flits();

  FlitChannel& channel_;
  Arena& arena_;
  std::unique_ptr<FlitPinSampler> sampler_;
  bool in_middle_ = false;
};

}  // namespace tsuji
