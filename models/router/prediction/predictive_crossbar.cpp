#include "tsuji/router/prediction/predictive_crossbar.h"

#include "tsuji/core/error.h"

namespace tsuji::router {

PredictiveCrossbar::PredictiveCrossbar(unsigned ports, Arena& arena)
    : at_(arena.array<Port>(ports)), ports_(ports) {
  if (ports > most_ports) throw ModelError("crossbar", std::to_string(ports) + " ports");
}

void PredictiveCrossbar::begin(Cycle now) {
  for (std::uint64_t rest = open_; rest != 0; rest &= rest - 1) {
    const auto o = static_cast<unsigned>(__builtin_ctzll(rest));
    Port& output = at_[o];
    if (output.asked_before == now) continue;  // in the cycle before: it could not be set
    open_ &= ~(rest & -rest);
    const unsigned input = next_holder(o);
    if (input == no_port) continue;
    output.holder = static_cast<std::uint16_t>(input + 1);
    output.turn = static_cast<std::uint16_t>(input + 1 == ports_ ? 0 : input + 1);
  }
}

/// An input that wants the output, the first one from its turn on.
unsigned PredictiveCrossbar::next_holder(unsigned output) const {
  const Port& port = at_[output];
  const std::uint64_t behind = port.wanted_by & ~std::uint64_t{0} << port.turn;
  const std::uint64_t first = behind != 0 ? behind : port.wanted_by;
  return first == 0 ? no_port : static_cast<unsigned>(__builtin_ctzll(first));
}

void PredictiveCrossbar::want(unsigned input, unsigned output) {
  Port& in = at_[input];
  in.keeps = false;
  const unsigned wants = output == no_port ? 0 : output + 1;
  if (in.wants == wants) return;
  if (in.wants != 0) {
    if (at_[in.wants - 1U].holder == input + 1) release(in.wants - 1U);
    stop_wanting(input);
  }
  in.wants = static_cast<std::uint16_t>(wants);
  if (wants == 0) return;
  at_[output].wanted_by |= std::uint64_t{1} << input;
  if (at_[output].holder == 0) open(output);
}

void PredictiveCrossbar::stop_wanting(unsigned input) {
  Port& in = at_[input];
  if (in.wants != 0) at_[in.wants - 1U].wanted_by &= ~(std::uint64_t{1} << input);
  in.wants = 0;
}

void PredictiveCrossbar::release(unsigned output) {
  Port& out = at_[output];
  if (out.holder == 0) return;
  const unsigned holder = out.holder - 1U;
  if (at_[holder].keeps) stop_wanting(holder);
  out.holder = 0;
  open(output);
}

void PredictiveCrossbar::request(unsigned input, unsigned output, Cycle now) {
  release(output);
  at_[output].asked_before = now + 1;
  const unsigned wants = at_[input].wants;
  if (wants != 0 && at_[wants - 1U].holder == input + 1) release(wants - 1U);
}

void PredictiveCrossbar::cross(unsigned input, unsigned output, Cycle now, Cycle first, Cycle cycles) {
  Port &in = at_[input], &out = at_[output];
  in.pass(now);
  out.pass(now);
  const std::uint64_t enters = std::uint64_t{1} << (first - now), leaves = mask(cycles) << (first - now);
  if ((in.in_use & enters) != 0) two_flits("input ", input, now, first);
  if ((out.out_use & leaves) != 0) two_flits("output ", output, now, first);
  in.in_use |= enters;
  out.out_use |= leaves;
}

void PredictiveCrossbar::two_flits(const char* side, unsigned port, Cycle now, Cycle first) {
  throw ModelError(
      "crossbar", now, "",
      "a second flit crosses " + (side + std::to_string(port)) + " in cycle " + std::to_string(first));
}

unsigned PredictiveCrossbar::held(unsigned input, Cycle now, Cycle cycles) const {
  const Port& in = at_[input];
  if (in.wants == 0) return no_port;
  const Port& output = at_[in.wants - 1U];
  const bool crossed =
      (in.from(in.in_use, now) & 1U) != 0 || (output.from(output.out_use, now) & mask(cycles)) != 0;
  if (output.holder != input + 1 || crossed) return no_port;
  return in.wants - 1U;
}

}  // namespace tsuji::router
