#include "tsuji/link/flit_pin_modules.h"

#include "tsuji/core/error.h"

namespace tsuji {
namespace {

sc_core::sc_time cycles(const ClockDomain& domain, Cycle count) {
  return sc_core::sc_time::from_value(count * domain.period().ps());
}

sc_core::sc_time half_cycle(const ClockDomain& domain) {
  return sc_core::sc_time::from_value(domain.period().ps() / 2);
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

void FlitsToPins::bind(FlitWires& wires) {
  valid.bind(wires.valid);
  head.bind(wires.head);
  tail.bind(wires.tail);
  vc.bind(wires.vc);
  packet.bind(wires.packet);
  credit.bind(wires.credit);
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

/// From the first cycle with a credit on, in the middle of each until there is none.
void FlitsToPins::sample_credits() {
  if (!in_middle_) {
    in_middle_ = true;
    return next_trigger(half_cycle(domain()));
  }
  if (credit.read() == 0) {
    in_middle_ = false;
    return;
  }
  try {
    driver_->take_credits(cycle_of_pins(domain()), credit.read());
  } catch (...) {
    return domain().fail(std::current_exception());
  }
  next_trigger(cycles(domain(), 1));
}

PinsToFlits::PinsToFlits(sc_core::sc_module_name module_name, ClockDomain& domain, FlitChannel& channel,
                         Arena& arena)
    : sc_module(module_name), Clocked(domain), channel_(channel), arena_(arena) {
  SC_METHOD(sample_flits);
  sensitive << valid.pos();
  dont_initialize();
}

void PinsToFlits::bind(FlitWires& wires) {
  valid.bind(wires.valid);
  head.bind(wires.head);
  tail.bind(wires.tail);
  vc.bind(wires.vc);
  packet.bind(wires.packet);
  credit.bind(wires.credit);
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
  if (!in_middle_) {
    in_middle_ = true;
    return next_trigger(half_cycle(domain()));
  }
  if (!valid.read()) {
    in_middle_ = false;
    return;
  }
  PinFlit pins;
  pins.valid = true;
  pins.head = head.read();
  pins.tail = tail.read();
  pins.vc = static_cast<std::uint8_t>(vc.read());
  pins.packet = packet.read();
  try {
    sampler_->take(cycle_of_pins(domain()), pins);
  } catch (...) {
    return domain().fail(std::current_exception());
  }
  next_trigger(cycles(domain(), 1));
}

}  // namespace tsuji
