// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/packet_injector.h"

#include <cstring>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/flit.h"

namespace tsuji::traffic {

PacketInjector::PacketInjector(sc_core::sc_module_name module_name, ClockDomain& domain, PacketPool& pool,
                               NodeId node, unsigned nodes, std::unique_ptr<EmissionSource> source,
                               FirstPorts first_ports, OnBorn on_born)
    : sc_module(module_name),
      Clocked(domain),
      out("out"),
      pool_(pool),
      node_(node),
      source_(std::move(source), node, nodes),
      first_ports_(std::move(first_ports)),
      on_born_(std::move(on_born)),
      queue_(16) {
  more_ = source_.next(upcoming_, 0);
  if (more_) wake_at(upcoming_.created);
}

void PacketInjector::end_of_elaboration() {
  out_ = out.operator->();
  out_->bind_sender(*this);
}

void PacketInjector::enqueue(const Emission& emission) {
  if (queued_ == queue_.size()) {
    std::vector<Emission> larger(queue_.size() * 2);
    for (std::size_t i = 0; i < queued_; ++i) larger[i] = queue_[(head_ + i) % queue_.size()];
    queue_.swap(larger);
    head_ = 0;
  }
  queue_[(head_ + queued_++) & (queue_.size() - 1)] = emission;
}

void PacketInjector::take_births(Cycle now) {
  while (more_ && upcoming_.created <= now) {
    enqueue(upcoming_);
    ++born_;
    flits_born_ += upcoming_.flits;
    if (on_born_) on_born_(node_, upcoming_);
    more_ = source_.next(upcoming_, now);
    if (more_ && upcoming_.created > now) wake_at(upcoming_.created);
  }
}

void PacketInjector::arrived(Cycle now, const Packet& packet) {
  if (!source_->listens()) return;
  source_->arrived(now, packet);
  if (more_) return;
  more_ = source_.next(upcoming_, now);
  if (!more_) return;
  if (upcoming_.created <= now)
    throw ModelError(name(), now, "",
                     "its source generated a packet no later than the arrival that causes it");
  wake_at(upcoming_.created);
}

PacketRef PacketInjector::make(const Emission& emission) {
  PacketRef ref = pool_.make();
  Packet& packet = ref.edit();
  packet.id = packet_id(node_, serial_++);
  packet.created = emission.created;
  packet.kind = emission.kind;
  packet.sid = emission.sid;
  packet.source = node_;
  packet.destination = emission.destination;
  packet.group = emission.group;
  packet.map = emission.map;
  packet.header[0] = routing_field(packet);
  packet.flits = emission.flits;
  packet.spelling.header_flits = emission.header_flits;
  packet.spelling.word_flits = emission.word_flits;
  packet.payload_bytes = emission.payload_bytes;
  for (unsigned word = 0; word < emission.payload_bytes / 8U; ++word) {
    const std::uint64_t value = payload_word(packet.id, word);
    std::memcpy(packet.payload.data() + 8 * word, &value, 8);
  }
  return ref;
}

void PacketInjector::step(Cycle now) {
  take_births(now);
  if (queued_ == 0) return;
  // The packet is created while the previous one leaves: no other event wakes the injector at that packet's
  // end.
  if (now < free_at_) return wake_at(free_at_);
  if (!next_) {
    next_ = make(queue_[head_]);
    next_ports_ = first_ports_(*next_);
    if (next_ports_ == 0)
      throw ModelError(name(), now, packet_name(next_->id), "a packet without a destination");
  }
  const std::uint32_t missing = next_ports_ & ~out_->room(now);
  if (missing != 0) {
    Cycle earliest = never;
    for (std::uint32_t left = missing; left != 0; left &= left - 1) {
      const Cycle at = out_->room_at(static_cast<unsigned>(__builtin_ctz(left)));
      if (at > now && at < earliest) earliest = at;
    }
    if (earliest != never) wake_at(earliest);
    out_->watch_room(missing);
    return;
  }
  head_ = (head_ + 1) & (queue_.size() - 1);
  --queued_;
  ++sent_;
  next_.edit().injected = now;
  free_at_ = now + next_->flits;
  if (queued_ > 0) wake_at(free_at_);
  out_->watch_room(0);
  out_->send(now, {std::move(next_), next_ports_, 0});
}

}  // namespace tsuji::traffic
