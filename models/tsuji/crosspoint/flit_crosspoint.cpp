// SPDX-License-Identifier: Apache-2.0
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

void FlitCrosspoint::begin_access(Cycle now) {
  if (access_left_ > 0) return;
  const auto count = static_cast<unsigned>(fifos_.size());
  for (unsigned step = 0; step < count; ++step) {
    const unsigned index = (next_sync_fifo_ + step) % count;
    if (fifos_[index].packets.empty()) continue;
    const Held& held = fifos_[index].packets.front();
    const Packet& packet = *held.transfer.packet;
    if (packet.kind != PacketKind::synchronization || held.age < delay(packet.kind)) continue;
    if (held.flits_in < packet.flits && SyncTable::words_of(packet) > 0) continue;
    if (held.flits_in < packet.flits) {
      throw ModelError(name_, now, packet_name(packet.id),
                       "the synchronization table reads a packet before all of its flits have arrived");
    }
    accessing_ = index;
    access_left_ = access_cycles(config_, packet);
    next_sync_fifo_ = (index + 1) % count;
    return;
  }
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

std::string FlitCrosspoint::stands_for() const {
  return "crosspoint-buffered switch with multicast and synchronization, flit by flit (Kanoh 2000, section "
         "3, fig. 2)";
}

void FlitCrosspoint::add_parts(PartList& parts) const {
  parts.add("fifos", fifos_.front());
  parts.add("arbiters", arbiters_.front());
  parts.add("sync_table", table_);
}

}  // namespace tsuji::crosspoint
