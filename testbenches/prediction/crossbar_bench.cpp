// SPDX-License-Identifier: Apache-2.0
#include "prediction/crossbar_bench.h"

namespace tsuji::bench {
namespace {

constexpr Cycle phase_cycles = 256;

}  // namespace

SwitchStimulus::SwitchStimulus(const Drive& pins, std::uint64_t seed, const router::CrossbarConfig& config)
    : random_(seed, 5),
      flit_cycles_(config.flit_cycles),
      reset_(pins.input("reset")),
      request_(pins.input("request")),
      won_valid_(pins.input("won_valid")),
      won_port_(pins.input("won_port")),
      send_(pins.input("send")),
      send_keep_(pins.input("send_keep")) {}

unsigned SwitchStimulus::any_port(Cycle cycle) {
  const Cycle phase = cycle / phase_cycles;
  return static_cast<unsigned>(phase % 3 == 0 && random_.below(3) != 0 ? phase % ports
                                                                       : random_.below(ports));
}

void SwitchStimulus::drive(Cycle cycle, Drive& pins) {
  const bool restart = cycle < 2 || random_.below(4096) == 0;
  pins.set(reset_, restart);
  if (restart) taken_to_ = {};
  ask(cycle, pins);
  const std::uint64_t send_each[] = {1, 2, 12};
  for (unsigned input = 0; input < ports; ++input) {
    pins.set(send_, input, random_.below(send_each[cycle / phase_cycles % 3]) == 0);
    pins.set(send_keep_, input, random_.below(2));
  }
}

void SwitchStimulus::ask(Cycle cycle, Drive& pins) {
  const std::uint64_t ask_each[] = {100, 20, 6, 2};
  for (unsigned input = 0; input < ports; ++input) {
    std::uint64_t asked = 0;
    if (random_.below(ask_each[cycle / phase_cycles % 4]) == 0) do
        asked |= std::uint64_t{1} << any_port(cycle);
      while (random_.below(4) == 0);
    const auto port = static_cast<unsigned>(random_.below(ports));
    const bool wins =
        (asked >> port & 1) != 0 && cycle >= taken_to_[port] && random_.below(4) != 0 && !pins.get(reset_);
    if (wins) taken_to_[port] = cycle + flit_cycles_;
    pins.set(request_, input, asked);
    pins.set(won_valid_, input, wins);
    pins.set(won_port_, input, port);
  }
}

CrossbarStimulus::CrossbarStimulus(const Drive& pins, std::uint64_t seed,
                                   const router::CrossbarConfig& config)
    : switch_(pins, seed, config),
      want_valid_(pins.input("want_valid")),
      want_port_(pins.input("want_port")) {}

void CrossbarStimulus::drive(Cycle cycle, Drive& pins) {
  switch_.drive(cycle, pins);
  const std::uint64_t want_each[] = {30, 4, 1};
  for (unsigned input = 0; input < router::CrossbarPort::ports; ++input) {
    CounterRandom& random = switch_.random();
    pins.set(want_valid_, input, random.below(want_each[cycle / phase_cycles / 2 % 3]) == 0);
    // Else the port of the wish before, which may be held.
    if (random.below(4) != 0)
      pins.set(want_port_, input, random.below(6) == 0 ? random.below(8) : switch_.any_port(cycle));
  }
}

UnitStimulus::UnitStimulus(const Drive& pins, std::uint64_t seed, const router::UnitConfig& config)
    : switch_(pins, seed, config.crossbar),
      look_(pins.input("look")),
      learn_valid_(pins.input("learn_valid")),
      learn_port_(pins.input("learn_port")),
      learn_destination_(pins.input("learn_destination")) {}

void UnitStimulus::drive(Cycle cycle, Drive& pins) {
  switch_.drive(cycle, pins);
  CounterRandom& random = switch_.random();
  const Cycle phase = cycle / phase_cycles / 2;
  const std::uint64_t learn_each[] = {1, 3, 20}, look_each[] = {2, 1, 10, 40};
  const std::uint64_t destinations =
      phase % 5 == 0 ? 4 : std::uint64_t{1} << router::UnitModule::destination_bits;
  for (unsigned input = 0; input < router::UnitModule::ports; ++input) {
    const std::uint64_t destination = random.below(destinations);
    const std::uint64_t port =
        phase % 2 == 0 ? (destination * 3 + input) % router::UnitModule::ports : switch_.any_port(cycle);
    pins.set(learn_valid_, input, random.below(learn_each[phase % 3]) == 0);
    pins.set(learn_destination_, input, destination);
    if (random.below(4) != 0) pins.set(learn_port_, input, port);  // else that of the head before
    pins.set(look_, input, random.below(look_each[phase % 4]) == 0);
  }
}

}  // namespace tsuji::bench
