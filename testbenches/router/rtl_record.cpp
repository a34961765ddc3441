// SPDX-License-Identifier: Apache-2.0
#include "router/rtl_record.h"

namespace tsuji::bench {
namespace {

std::vector<RtlPin> recorded(const RouterRtl& rtl) {
  std::vector<RtlPin> pins;
  for (const RtlPin& pin : rtl.pins)
    if (pin.bytes != rtl.clock.bytes) pins.push_back(pin);
  return pins;
}

/// A lane a bit, as a pin may have more than 64.
std::vector<Pin> bit_lanes(const std::vector<RtlPin>& pins) {
  std::vector<Pin> lanes;
  std::size_t bits[2] = {0, 0};  // of outputs, of inputs
  for (const RtlPin& pin : pins) {
    std::size_t& at = bits[pin.input ? 1 : 0];
    lanes.push_back({pin.name, 1, pin.width_bits, pin.input, at});
    at += pin.width_bits;
  }
  return lanes;
}

}  // namespace

RtlRecord::RtlRecord(const RouterRtl& rtl, const std::string& path)
    : pins_(recorded(rtl)), file_(path, bit_lanes(pins_)) {}

void RtlRecord::row() {
  inputs_.clear();
  outputs_.clear();
  for (const RtlPin& pin : pins_)
    for (unsigned bit = 0; bit < pin.width_bits; ++bit)
      (pin.input ? inputs_ : outputs_).push_back(pin.bytes[bit / 8] >> bit % 8 & 1U);
  file_.row(inputs_, outputs_);
}

}  // namespace tsuji::bench
