#include "tsuji/router/prediction/predictive_crossbar.h"

#include "tsuji/core/error.h"

namespace tsuji::router {

void PredictiveCrossbar::begin(Cycle now) {
  for (unsigned word = 0; word * 64 < ports_; ++word) {
    for (std::uint64_t rest = open_[word]; rest != 0; rest &= rest - 1) {
      const unsigned o = word * 64 + static_cast<unsigned>(__builtin_ctzll(rest));
      Port& output = at_[o];
      if (output.asked_before == now) continue;  // in the cycle before: it could not be set
      open_[word] &= ~(rest & -rest);
      const unsigned input = next_holder(o);
      if (input == no_port) continue;
      output.holder = static_cast<std::uint16_t>(input + 1);
      output.turn = static_cast<std::uint16_t>(input + 1 == ports_ ? 0 : input + 1);
    }
  }
}

/// An input that wants the output, the first one from its turn on.
unsigned PredictiveCrossbar::next_holder(unsigned output) const {
  unsigned input = at_[output].turn;
  for (unsigned i = 0; i < ports_; ++i) {
    if (at_[input].wants == output + 1) return input;
    if (++input == ports_) input = 0;
  }
  return no_port;
}

void PredictiveCrossbar::want(unsigned input, unsigned output) {
  Port& in = at_[input];
  in.keeps = false;
  const unsigned wants = output == no_port ? 0 : output + 1;
  if (in.wants == wants) return;
  if (in.wants != 0 && at_[in.wants - 1U].holder == input + 1) release(in.wants - 1U);
  in.wants = static_cast<std::uint16_t>(wants);
  if (wants != 0 && at_[output].holder == 0) open(output);
}

void PredictiveCrossbar::release(unsigned output) {
  Port& out = at_[output];
  if (out.holder == 0) return;
  Port& holder = at_[out.holder - 1U];
  if (holder.keeps) holder.wants = 0;
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
  const bool in_free = at_[input].in_use.add(now, first, 1);
  if (!at_[output].out_use.add(now, first, cycles) || !in_free)
    two_flits(in_free ? "output " : "input ", in_free ? output : input, now, first);
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
  if (output.holder != input + 1 || in.in_use.overlap(now, 1) || output.out_use.overlap(now, cycles))
    return no_port;
  return in.wants - 1U;
}

}  // namespace tsuji::router
