#include "tsuji/router/prediction/predictive_crossbar.h"

namespace tsuji::router {

void PredictiveCrossbar::begin(Cycle now) {
  for (unsigned word = 0; word * 64 < ports_; ++word) {
    for (std::uint64_t rest = open_[word]; rest != 0; rest &= rest - 1) {
      const unsigned o = word * 64 + static_cast<unsigned>(__builtin_ctzll(rest));
      Output& output = outputs_[o];
      if (output.asked_before == now) continue;  // in the cycle before: it could not be set
      open_[word] &= ~(rest & -rest);
      const unsigned input = next_holder(o);
      if (input == no_port) continue;
      output.holder = static_cast<std::uint16_t>(input + 1);
      output.turn = static_cast<std::uint16_t>((input + 1) % ports_);
    }
  }
}

/// An input that wants the output, the first one from its turn on.
unsigned PredictiveCrossbar::next_holder(unsigned output) const {
  for (unsigned i = 0; i < ports_; ++i) {
    const unsigned input = (outputs_[output].turn + i) % ports_;
    if (inputs_[input].wants == output + 1) return input;
  }
  return no_port;
}

void PredictiveCrossbar::want(unsigned input, unsigned output) {
  Input& in = inputs_[input];
  in.keeps = false;
  const unsigned wants = output == no_port ? 0 : output + 1;
  if (in.wants == wants) return;
  if (in.wants != 0 && outputs_[in.wants - 1U].holder == input + 1) release(in.wants - 1U);
  in.wants = static_cast<std::uint16_t>(wants);
  if (wants != 0 && outputs_[output].holder == 0) open(output);
}

void PredictiveCrossbar::release(unsigned output) {
  Output& out = outputs_[output];
  if (out.holder == 0) return;
  Input& holder = inputs_[out.holder - 1U];
  if (holder.keeps) holder.wants = 0;
  out.holder = 0;
  open(output);
}

void PredictiveCrossbar::request(unsigned input, unsigned output, Cycle now) {
  release(output);
  outputs_[output].asked_before = now + 1;
  const unsigned wants = inputs_[input].wants;
  if (wants != 0 && outputs_[wants - 1U].holder == input + 1) release(wants - 1U);
}

void PredictiveCrossbar::cross(unsigned input, unsigned output, Cycle now, Cycle first, Cycle cycles) {
  inputs_[input].crossings.add(now, first, 1);
  outputs_[output].crossings.add(now, first, cycles);
}

unsigned PredictiveCrossbar::held(unsigned input, Cycle now, Cycle cycles) const {
  const Input& in = inputs_[input];
  if (in.wants == 0) return no_port;
  const Output& output = outputs_[in.wants - 1U];
  if (output.holder != input + 1 || in.crossings.overlap(now, 1) || output.crossings.overlap(now, cycles))
    return no_port;
  return in.wants - 1U;
}

}  // namespace tsuji::router
