// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/crosspoint_module.h"

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

CrosspointModule::CrosspointModule(sc_core::sc_module_name module_name, const CrosspointConfig& config)
    : sc_module(module_name),
      route_fixed("route_fixed", config.ports),
      route_first("route_first", std::size_t{config.ports} * config.ports),
      route_last("route_last", std::size_t{config.ports} * config.ports),
      sync_from("sync_from", config.ports),
      sync_to("sync_to", config.ports),
      in_flit("in_flit", config.ports),
      in_room("in_room", config.ports),
      in_freed("in_freed", config.ports),
      out_flit("out_flit", config.ports),
      out_room("out_room", config.ports),
      out_from("out_from", config.ports),
      out_sid("out_sid", config.ports),
      config_(config),
      scenes_(config.ports),
      device_(config, name()) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void CrosspointModule::on_edge() {
  if (reset.read()) {
    device_.restart();
    return show();
  }
  const unsigned ports = config_.ports;
  if (!device_.placed()) {
    SwitchStraps straps(ports);
    for (unsigned port = 0; port < ports; ++port) {
      straps.fixed[port] = route_fixed[port].read();
      straps.from[port] = sync_from[port].read();
      straps.to[port] = sync_to[port].read();
    }
    for (unsigned pair = 0; pair < ports * ports; ++pair) {
      straps.first[pair] = route_first[pair].read();
      straps.last[pair] = route_last[pair].read();
    }
    const bench::SwitchScenes::Scene* scene = scenes_.find(straps);
    if (scene == nullptr) throw ModelError(name(), "pins route_* and sync_* of no place in a network");
    device_.place(scene->route);
  }
  for (unsigned port = 0; port < ports; ++port) {
    device_.set_room(port, out_room[port].read());
    if ((in_valid.read() >> port & 1U) != 0) device_.take(port, in_flit[port].read());
  }
  device_.step();
  show();
}

void CrosspointModule::show() {
  const PinCrosspoint::Outputs& outputs = device_.outputs;
  for (unsigned port = 0; port < config_.ports; ++port) {
    in_room[port].write(outputs.room[port]);
    in_freed[port].write(outputs.freed[port]);
    out_flit[port].write(outputs.flit[port]);
    out_from[port].write(outputs.from[port]);
    out_sid[port].write(outputs.sid[port]);
  }
  out_valid.write(outputs.valid);
  sync_done.write(outputs.sync_done);
  sync_input.write(outputs.sync_input);
  sync_output.write(outputs.sync_output);
  sync_complete.write(outputs.sync_complete);
  sync_arrived.write(outputs.sync_arrived);
  sync_early.write(outputs.sync_early);
}

}  // namespace tsuji::crosspoint
