// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/flit_pin_modules.h"

#include "tsuji/core/error.h"

namespace tsuji {
namespace {

/// Body of a process that samples pins: in the middle of each cycle from the first one in which they are
/// `active` to the first one in which they are not. Calls take(cycle).
template <class Take>
void sample_in_middle(ClockDomain& domain, bool& in_middle, bool active, const Take& take) {
  const auto wait = [](Picoseconds ps) { sc_core::next_trigger(sc_core::sc_time::from_value(ps)); };
  if (!in_middle) {
    in_middle = true;
    return wait(domain.period().ps() / 2);
  }
  if (!active) {
    in_middle = false;
    return;
  }
  try {
    take(cycle_of_pins(domain));
  } catch (...) {
    return domain.fail(std::current_exception());
  }
  wait(domain.period().ps());
}

}  // namespace

FlitWires::FlitWires(const std::string& name)
    : valid((name + "_valid").c_str()),
      head((name + "_head").c_str()),
      tail((name + "_tail").c_str()),
      vc((name + "_vc").c_str()),
      packet((name + "_packet").c_str()),
      credit((name + "_credit").c_str()) {}

Cycle cycle_of_pins(const ClockDomain& domain) {
  const Cycle now = domain.cycle_at_kernel_time() - 1;
  if (domain.now() > now)
    throw ModelError(domain.name(), now, "",
                     "the clock has run ahead of the pins that are read in this cycle");
  return now;
}

FlitsToPins::FlitsToPins(sc_core::sc_module_name module_name, ClockDomain& domain, FlitChannel& channel,
                         Arena& arena)
    : sc_module(module_name), Clocked(domain), channel_(channel), arena_(arena) {
  SC_METHOD(sample_credits);
  sensitive << credit;
  dont_initialize();
}

void FlitsToPins::end_of_elaboration() {
  driver_ = std::make_unique<FlitPinDriver>(channel_, waker(), arena_);
}

void FlitsToPins::step(Cycle now) {
  const PinFlit pins = driver_->drive(now);
  valid.write(pins.valid);
  if (!pins.valid) return;
  head.write(pins.head);
  tail.write(pins.tail);
  vc.write(pins.vc);
  packet.write(pins.packet);
  wake_at(now + 1);
}

void FlitsToPins::sample_credits() {
  sample_in_middle(domain(), in_middle_, credit.read() != 0,
                   [this](Cycle now) { driver_->take_credits(now, credit.read()); });
}

PinsToFlits::PinsToFlits(sc_core::sc_module_name module_name, ClockDomain& domain, FlitChannel& channel,
                         Arena& arena)
    : sc_module(module_name), Clocked(domain), channel_(channel), arena_(arena) {
  SC_METHOD(sample_flits);
  sensitive << valid.pos();
  dont_initialize();
}

void PinsToFlits::end_of_elaboration() {
  sampler_ = std::make_unique<FlitPinSampler>(channel_, waker(), arena_);
}

void PinsToFlits::step(Cycle now) {
  const std::uint32_t vcs = sampler_->credits(now);
  credit.write(vcs);
  if (vcs != 0) wake_at(now + 1);
}

void PinsToFlits::sample_flits() {
  sample_in_middle(domain(), in_middle_, valid.read(), [this](Cycle now) {
    PinFlit pins;
    pins.valid = true;
    pins.head = head.read();
    pins.tail = tail.read();
    pins.vc = static_cast<std::uint8_t>(vc.read());
    pins.packet = packet.read();
    sampler_->take(now, pins);
  });
}

}  // namespace tsuji
