#include "tsuji/crosspoint/flit_crosspoint.h"

namespace tsuji::crosspoint {

FlitCrosspoint::FlitCrosspoint(const CrosspointConfig& config, const graph::SwitchRoute& route,
                               std::string name)
    : config_(config),
      route_(route),
      name_(std::move(name)),
      fifos_(std::size_t{config.ports} * config.ports),
      outputs_(config.ports),
      arbiters_(config.ports, OutputArbiter(config.ports + 1, config.reserve_after)),
      table_(route, config.ports) {}

unsigned FlitCrosspoint::delay(PacketKind kind) const {
  switch (kind) {
    case PacketKind::single_cast:
      return config_.single_cast_cycles - 1;
    case PacketKind::multicast:
      return config_.multicast_cycles - 1;
    case PacketKind::synchronization:
      break;
  }
  return config_.synchronization_cycles - config_.table_access_cycles - 1;
}

void FlitCrosspoint::clock_edge(Cycle) {
  busy_ = access_left_ > 0 ? 1 : 0;
  for (unsigned output = 0; output < config_.ports; ++output) {
    busy_ += outputs_[output].generated_left > 0 || table_.owes(output) ? 1 : 0;
  }
  for (Fifo& fifo : fifos_) {
    busy_ += static_cast<unsigned>(fifo.packets.size());
    for (Held& held : fifo.packets) ++held.age;
  }
}

}  // namespace tsuji::crosspoint
