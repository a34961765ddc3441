// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/flit.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/pins/device_kinds.h"
#include "tsuji/pins/pin_crosspoint.h"
#include "tsuji/pins/switch_straps.h"

namespace tsuji::pins {
namespace {

struct CrosspointDeviceConfig {
  crosspoint::CrosspointConfig crosspoint;
  graph::MultistageConfig network;
  unsigned stage = 0, index = 0;

  void add_keys(config::KeyTable& keys) {
    keys.add("switch.ports", crosspoint.ports, {2, crosspoint::max_ports}, "", "inputs, equal to outputs");
    crosspoint.add_keys(keys);
    keys.add("network.nodes", network.nodes, {2, 1024}, "",
             "nodes of the network that the switch is a part of");
    keys.add("switch.stage", stage, {0, 11}, "", "stage of the switch in that network");
    keys.add("switch.index", index, {0, 1023}, "", "number of the switch in its stage");
  }
  void resolve() {}
  void validate() const {
    crosspoint.validate();
    const graph::Multistage all(resolved());
    if (stage >= all.stages())
      throw ConfigError("switch.stage", std::to_string(stage), "the network has fewer stages",
                        "0.." + std::to_string(all.stages() - 1));
    if (index >= all.switches_per_stage())
      throw ConfigError("switch.index", std::to_string(index), "a stage has fewer switches",
                        "0.." + std::to_string(all.switches_per_stage() - 1));
  }
  graph::MultistageConfig resolved() const {
    graph::MultistageConfig all = network;
    all.radix = crosspoint.ports;
    all.validate();
    return all;
  }
};

/// PinCrosspoint on rows of values, a lane for each port or pair of ports. The pins route_* and sync_* of an
/// RTL switch are constant outputs here.
class CrosspointDevice final : public Device {
 public:
  explicit CrosspointDevice(const CrosspointDeviceConfig& config)
      : switch_(config.crosspoint, "crosspoint"),
        route_(graph::Multistage(config.resolved()), config.stage, config.index),
        ports_(config.crosspoint.ports),
        reset_(add_input("reset", 1)),
        in_valid_(add_input("in_valid", 1, ports_)),
        in_flit_(add_input("in_flit", flit_bits, ports_)),
        out_room_(add_input("out_room", ports_, ports_)),
        in_room_(add_output("in_room", ports_, ports_)),
        in_freed_(add_output("in_freed", ports_, ports_)),
        out_valid_(add_output("out_valid", 1, ports_)),
        out_flit_(add_output("out_flit", flit_bits, ports_)),
        out_from_(add_output("out_from", bits_of(ports_), ports_)),
        out_sid_(add_output("out_sid", 7, ports_)),
        sync_done_(add_output("sync_done", 1)),
        sync_input_(add_output("sync_input", bits_of(ports_ - 1))),
        sync_output_(add_output("sync_output", bits_of(ports_ - 1))),
        sync_complete_(add_output("sync_complete", 1)),
        sync_arrived_(add_output("sync_arrived", ports_)),
        sync_early_(add_output("sync_early", ports_)) {
    show_straps();
    restart();
  }

  void step() override {
    const std::uint64_t* const in = inputs();
    if (in[reset_] > 1) refuse_wide();
    if (in[reset_] != 0) {
      restart();
    } else {
      for (unsigned port = 0; port < ports_; ++port) take(port, in);
      switch_.step();
    }
    show();
    next_cycle();
  }

 private:
  void restart() {
    switch_.restart();
    switch_.place(route_);
    show();
  }
  void take(unsigned port, const std::uint64_t* in) {
    const std::uint64_t valid = in[in_valid_ + port], flit = in[in_flit_ + port], room = in[out_room_ + port];
    if (valid > 1 || (room & bits_above(ports_)) != 0 || (valid != 0 && (flit & bits_above(flit_bits)) != 0))
      refuse_wide();
    switch_.set_room(port, static_cast<std::uint32_t>(room));
    if (valid != 0) switch_.take(port, static_cast<FlitBits>(flit));
  }
  void show() {
    const crosspoint::PinCrosspoint::Outputs& values = switch_.outputs;
    std::uint64_t* const out = shown();
    for (unsigned port = 0; port < ports_; ++port) {
      out[in_room_ + port] = values.room[port];
      out[in_freed_ + port] = values.freed[port];
      out[out_valid_ + port] = values.valid >> port & 1U;
      out[out_flit_ + port] = values.flit[port];
      out[out_from_ + port] = values.from[port];
      out[out_sid_ + port] = values.sid[port];
    }
    out[sync_done_] = values.sync_done;
    out[sync_input_] = values.sync_input;
    out[sync_output_] = values.sync_output;
    out[sync_complete_] = values.sync_complete;
    out[sync_arrived_] = values.sync_arrived;
    out[sync_early_] = values.sync_early;
  }
  void show_straps() {
    const crosspoint::SwitchStraps straps(route_, ports_);
    const std::size_t fixed = add_output("route_fixed", ports_, ports_);
    const std::size_t first = add_output("route_first", 11, ports_ * ports_);
    const std::size_t last = add_output("route_last", 11, ports_ * ports_);
    const std::size_t from = add_output("sync_from", 64, ports_), to = add_output("sync_to", 64, ports_);
    std::copy(straps.fixed.begin(), straps.fixed.end(), shown() + fixed);
    std::copy(straps.first.begin(), straps.first.end(), shown() + first);
    std::copy(straps.last.begin(), straps.last.end(), shown() + last);
    std::copy(straps.from.begin(), straps.from.end(), shown() + from);
    std::copy(straps.to.begin(), straps.to.end(), shown() + to);
  }

  crosspoint::PinCrosspoint switch_;
  const graph::SwitchRoute route_;
  const unsigned ports_;
  const std::size_t reset_, in_valid_, in_flit_, out_room_;
  const std::size_t in_room_, in_freed_, out_valid_, out_flit_, out_from_, out_sid_, sync_done_, sync_input_,
      sync_output_, sync_complete_, sync_arrived_, sync_early_;
};

}  // namespace

void add_crosspoint_device(DeviceKinds& kinds) {
  kinds.push_back(device_kind<CrosspointDeviceConfig, CrosspointDevice>("crosspoint"));
}

}  // namespace tsuji::pins
