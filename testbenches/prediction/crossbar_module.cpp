// SPDX-License-Identifier: Apache-2.0
#include "prediction/crossbar_module.h"

namespace tsuji::router {

CrossbarPort::CrossbarPort(sc_core::sc_module_name module_name, const CrossbarConfig& config)
    : sc_module(module_name), config_(config) {
  make_crossbar();
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void CrossbarPort::make_crossbar() {
  arena_ = std::make_unique<Arena>();
  crossbar_ = std::make_unique<PredictiveCrossbar>(ports, *arena_, config_.sa_cycles, config_.flit_cycles);
}

void CrossbarPort::on_edge() {
  PortVector sent;
  if (reset.read()) {
    make_crossbar();
    restart();
  } else {
    wish(*crossbar_);
    ask();
    sent = cross();
  }
  crossbar_->begin(++now_);
  sent_valid.write(sent.valid);
  sent_port.write(sent.port);
  show();
}

void CrossbarPort::ask() {
  for (unsigned input = 0; input < ports; ++input)
    for (unsigned output = 0; output < ports; ++output)
      if (bit_of(request.read(), input * ports + output)) crossbar_->request(input, output, now_);
}

CrossbarPort::PortVector CrossbarPort::cross() {
  for (unsigned input = 0; input < ports; ++input) {
    if (bit_of(won_valid.read(), input))
      crossbar_->cross(input, port_of(won_port.read(), input), now_, now_ + config_.sa_cycles,
                       config_.flit_cycles);
  }
  PortVector sent;
  for (unsigned input = 0; input < ports; ++input) {
    const unsigned output = crossbar_->held(input, now_, config_.flit_cycles);
    if (!bit_of(send.read(), input) || output == no_port) continue;
    crossbar_->cross(input, output, now_, now_, config_.flit_cycles);
    if (bit_of(send_keep.read(), input)) crossbar_->keep(input);
    sent.set(input, output);
  }
  return sent;
}

void CrossbarPort::show() {
  PortVector held, wanted;
  for (unsigned input = 0; input < ports; ++input) {
    held.set(input, crossbar_->held(input, now_, config_.flit_cycles));
    wanted.set(input, crossbar_->wanted(input));
  }
  held_valid.write(held.valid);
  held_port.write(held.port);
  wanted_valid.write(wanted.valid);
  wanted_port.write(wanted.port);
}

void CrossbarModule::wish(PredictiveCrossbar& crossbar) {
  for (unsigned input = 0; input < ports; ++input) {
    const unsigned port = port_of(want_port.read(), input);
    if (bit_of(want_valid.read(), input)) crossbar.want(input, port < ports ? port : no_port);
  }
}

}  // namespace tsuji::router
