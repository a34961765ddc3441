// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/packet_sink.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

PacketSink::PacketSink(sc_core::sc_module_name module_name, ClockDomain& domain, NodeId node,
                       const PacketSinkConfig& config, OnPacket on_packet)
    : sc_module(module_name),
      Clocked(domain),
      in("in"),
      node_(node),
      config_(config),
      on_packet_(std::move(on_packet)),
      random_(config.seed, node) {}

void PacketSink::end_of_elaboration() {
  in_ = in.operator->();
  in_->bind_receiver(*this, 1, config_.fifo_packets, 0);
}

void PacketSink::check(const Packet& packet, Cycle now) const {
  if (packet.kind == PacketKind::single_cast && packet.destination != node_) {
    throw ModelError(name(), now, packet_name(packet.id), "was delivered to the wrong node");
  }
  const bool mine = node_ / 64 == packet.group && (packet.map >> node_ % 64 & 1U) != 0;
  if (packet.kind != PacketKind::single_cast && !mine) {
    throw ModelError(name(), now, packet_name(packet.id),
                     "was delivered to a node that is not in its destination map");
  }
  for (unsigned word = 0; word < packet.payload_bytes / 8U; ++word) {
    std::uint64_t value = 0;
    std::memcpy(&value, packet.payload.data() + 8 * word, 8);
    if (value != payload_word(packet.id, word)) {
      throw ModelError(name(), now, packet_name(packet.id),
                       "payload word " + std::to_string(word) + " is not what was sent");
    }
  }
}

void PacketSink::tell_arrived(Cycle now) {
  if (!arriving_.packet || now < tail_) return;
  const PacketTransfer arrived = std::move(arriving_);
  arriving_.packet.reset();
  on_packet_(*arrived.packet, head_, tail_, arrived.hops);
}

void PacketSink::step(Cycle now) {
  tell_arrived(now);
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (in_->receive(now, transfer, arrival)) {
    const Packet& packet = *transfer.packet;
    check(packet, now);
    ++packets_;
    flits_ += packet.flits;
    const Cycle tail = arrival + packet.flits - 1;
    const Cycle stall = config_.stall_cycles == 0 ? 0 : random_.below(config_.stall_cycles + 1);
    free_at_ = std::max(free_at_, tail + 1) + stall;
    in_->release(0, free_at_);
    if (!on_packet_) continue;
    arriving_ = std::move(transfer);
    head_ = arrival;
    tail_ = tail;
    if (tail > now) wake_at(tail);
    tell_arrived(now);
  }
}

}  // namespace tsuji::traffic
