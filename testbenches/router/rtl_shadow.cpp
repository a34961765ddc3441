// SPDX-License-Identifier: Apache-2.0
#include "router/rtl_shadow.h"

#include <sstream>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

/// The destination's pins, with what else a head carries.
std::uint64_t destination_at(const RtlFlitPins& pins) {
  if (pins.destination) return pins.destination.read();
  std::uint64_t value = 0;
  unsigned bits = 0;
  for (const RtlBits& field : {pins.coordinates[0], pins.coordinates[1], pins.recovery, pins.hops}) {
    if (!field) continue;
    value |= field.read() << bits;
    bits += field.width;
  }
  return value;
}

router::PinRouterFlit flit_at(const RtlFlitPins& pins) {
  return {pins.valid.read() != 0, pins.head.read() != 0,
          pins.tail.read() != 0,  static_cast<unsigned>(pins.vc.read()),
          destination_at(pins),   pins.payload.read()};
}

/// Names of the outputs that differ, joined into one text.
class Differences {
 public:
  void compare(const char* pin, unsigned port, std::uint64_t model, std::uint64_t rtl) {
    if (model == rtl) return;
    text_ << (text_.tellp() == 0 ? "" : "; ") << pin << " of port " << std::dec << port << ": model 0x"
          << std::hex << model << ", RTL 0x" << rtl;
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

}  // namespace

RtlShadow::RtlShadow(const RouterRtl& rtl, const router::PinRouterConfig& config, std::string name)
    : rtl_(rtl), name_(std::move(name)), model_(config), inputs_(config.ports), outputs_(config.ports) {}

void RtlShadow::edge(Cycle now) {
  inputs_.reset = rtl_.reset.read() == (rtl_.about.reset_high ? 1U : 0U);
  inputs_.table_valid = rtl_.table_valid.read() != 0;
  inputs_.table_row = rtl_.table_row.read();
  inputs_.table_entry = rtl_.table_vcs.read() << 16 | rtl_.table_output.read();
  for (unsigned port = 0; port < rtl_.ports.size(); ++port) {
    inputs_.flits[port] = flit_at(rtl_.ports[port].in);
    inputs_.credits[port] = rtl_.ports[port].out_credit.read();
  }
  model_.edge(inputs_, outputs_);
  if (!inputs_.reset) compare(now);
}

void RtlShadow::compare(Cycle now) const {
  Differences found;
  for (unsigned port = 0; port < rtl_.ports.size(); ++port) {
    const RtlPortPins& pins = rtl_.ports[port];
    const router::PinRouterFlit rtl = flit_at(pins.out), &model = outputs_.flits[port];
    found.compare("in_credit", port, outputs_.credits[port], pins.in_credit.read());
    found.compare("blocked", port, outputs_.blocked[port], pins.blocked.read());
    found.compare("outcome", port, outputs_.outcomes[port], pins.outcome.read());
    found.compare("kept", port, outputs_.kept[port] ? 1 : 0, pins.kept.read());
    found.compare("out_valid", port, model.valid, rtl.valid);
    found.compare("out_head", port, model.head, rtl.head);
    found.compare("out_tail", port, model.tail, rtl.tail);
    found.compare("out_vc", port, model.vc, rtl.vc);
    found.compare("out_destination", port, model.destination, rtl.destination);
    found.compare("out_data", port, model.data, rtl.data);
  }
  if (found.text().empty()) return;
  throw ModelError(name_, now, "", "after the clock edge the RTL differs from the model: " + found.text());
}

}  // namespace tsuji::bench
