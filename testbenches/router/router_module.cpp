// SPDX-License-Identifier: Apache-2.0
#include "router/router_module.h"

namespace tsuji::router {
namespace {

constexpr std::uint64_t field(std::uint64_t vector, unsigned lane, unsigned width) {
  return vector >> lane * width & ((std::uint64_t{1} << width) - 1);
}

constexpr bool bit(std::uint64_t vector, unsigned lane) {
  return (vector >> lane & 1U) != 0;
}

}  // namespace

PinRouterModule::PinRouterModule(sc_core::sc_module_name module_name, const PinRouterConfig& config)
    : sc_module(module_name),
      in_data("in_data", config.ports),
      out_data("out_data", config.ports),
      router_(config),
      inputs_(config.ports),
      outputs_(config.ports) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void PinRouterModule::on_edge() {
  const PinRouterConfig& config = router_.config();
  inputs_.reset = reset.read();
  inputs_.table_valid = table_valid.read();
  inputs_.table_row = table_row.read();
  inputs_.table_entry = table_entry.read();
  for (unsigned p = 0; p < config.ports; ++p) {
    inputs_.credits[p] = field(out_credit.read(), p, config.vcs);
    PinRouterFlit& flit = inputs_.flits[p];
    flit.valid = bit(in_valid.read(), p);
    flit.head = bit(in_head.read(), p);
    flit.tail = bit(in_tail.read(), p);
    flit.vc = static_cast<unsigned>(field(in_vc.read(), p, config.vc_bits()));
    flit.destination = field(in_destination.read(), p, config.head_bits());
    flit.data = in_data[p].read();
  }
  router_.edge(inputs_, outputs_);
  show();
}

void PinRouterModule::show() {
  const PinRouterConfig& config = router_.config();
  std::uint64_t credit = 0, late = 0, valid = 0, head = 0, tail = 0, vc = 0, destination = 0;
  std::uint64_t heads = 0, kept_flits = 0;
  for (unsigned p = 0; p < config.ports; ++p) {
    const PinRouterFlit& flit = outputs_.flits[p];
    credit |= outputs_.credits[p] << p * config.vcs;
    late |= outputs_.blocked[p] << p * config.vcs;
    heads |= std::uint64_t{outputs_.outcomes[p]} << p * 3;
    kept_flits |= std::uint64_t{outputs_.kept[p]} << p;
    valid |= std::uint64_t{flit.valid} << p;
    head |= std::uint64_t{flit.head} << p;
    tail |= std::uint64_t{flit.tail} << p;
    vc |= std::uint64_t{flit.vc} << p * config.vc_bits();
    destination |= flit.destination << p * config.head_bits();
    out_data[p].write(flit.data);
  }
  in_credit.write(credit);
  out_valid.write(valid);
  out_head.write(head);
  out_tail.write(tail);
  out_vc.write(vc);
  out_destination.write(destination);
  blocked.write(late);
  outcome.write(heads);
  kept.write(kept_flits);
  error.write(outputs_.error);
}

}  // namespace tsuji::router
