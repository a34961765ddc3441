// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/prediction/predictive_crossbar.h"

#include "tsuji/core/error.h"

namespace tsuji::router {

PredictiveCrossbar::PredictiveCrossbar(unsigned ports, Arena& arena, Cycle lead_cycles, Cycle flit_cycles)
    : at_(arena.array<Port>(ports)), wanted_by_(arena.array<std::uint64_t>(ports)), ports_(ports) {
  if (ports > most_ports) throw ModelError("crossbar", std::to_string(ports) + " ports");
  std::uint32_t rows = 1;
  while (rows <= lead_cycles) rows *= 2;
  uses_ = arena.array<Use>(rows);
  row_mask_ = rows - 1;
  if (flit_cycles > 1) busy_ = arena.array<Busy>(ports);
}

void PredictiveCrossbar::hand_out(std::uint64_t outputs) {
  open_ &= ~outputs;
  for (; outputs != 0; outputs &= outputs - 1) {
    const auto o = static_cast<unsigned>(__builtin_ctzll(outputs));
    const unsigned input = next_holder(o);
    if (input == no_port) continue;
    at_[o].holder = input;
    at_[o].turn = static_cast<std::uint8_t>(input + 1 == ports_ ? 0 : input + 1);
    held_ |= bit(o);
    holders_ |= bit(input);
  }
}

/// Input that wants the output, round robin; `no_port`: none.
unsigned PredictiveCrossbar::next_holder(unsigned output) const {
  const std::uint64_t wanted_by = wanted_by_[output];
  const std::uint64_t behind = wanted_by & ~std::uint64_t{0} << at_[output].turn;
  const std::uint64_t first = behind != 0 ? behind : wanted_by;
  return first == 0 ? no_port : static_cast<unsigned>(__builtin_ctzll(first));
}

void PredictiveCrossbar::change_wanted(unsigned input, unsigned output) {
  Port& in = at_[input];
  if ((holders_ & bit(input)) != 0) release(*in.wants);
  stop_wanting(input);
  if (output == no_port) return;
  in.wants = output;
  wanted_by_[output] |= bit(input);
  if ((held_ & bit(output)) == 0) open_ |= bit(output);
}

void PredictiveCrossbar::stop_wanting(unsigned input) {
  Port& in = at_[input];
  if (in.wants) wanted_by_[*in.wants] &= ~bit(input);
  in.wants = {};
}

/// Releases an output that is held.
void PredictiveCrossbar::release(unsigned output) {
  const unsigned holder = *at_[output].holder;
  if (keeps(holder)) {
    stop_wanting(holder);
    dropped_ |= bit(holder);
  }
  at_[output].holder = {};
  held_ &= ~bit(output);
  holders_ &= ~bit(holder);
  if (wanted_by_[output] != 0) open_ |= bit(output);
}

void PredictiveCrossbar::release_all(std::uint64_t inputs, std::uint64_t outputs) {
  for (std::uint64_t rest = outputs & held_; rest != 0; rest &= rest - 1)
    release(static_cast<unsigned>(__builtin_ctzll(rest)));
  for (std::uint64_t rest = inputs & holders_; rest != 0; rest &= rest - 1)
    release(*at_[__builtin_ctzll(rest)].wants);
}

void PredictiveCrossbar::occupy(unsigned output, Cycle now, Cycle first, Cycle cycles) {
  Busy& busy = busy_[output];
  busy = {busy.from(now), now};
  const std::uint64_t leaves = mask(cycles) << (first - now);
  if ((busy.bits & leaves) != 0) two_flits("output ", output, now, first);
  busy.bits |= leaves;
}

void PredictiveCrossbar::two_flits(const char* side, unsigned port, Cycle now, Cycle first) {
  throw ModelError(
      "crossbar", now, "",
      "a second flit crosses " + (side + std::to_string(port)) + " in cycle " + std::to_string(first));
}

}  // namespace tsuji::router
