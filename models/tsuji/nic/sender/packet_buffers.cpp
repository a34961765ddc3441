// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/packet_buffers.h"

#include <algorithm>
#include <utility>

namespace tsuji::nic {

PacketBuffers::PacketBuffers(const SenderConfig& config, SenderCounters& counters)
    : counters_(counters), entries_(config.fifo_packets) {}

PacketBuffers::Entry& PacketBuffers::open(PacketRef packet, std::uint32_t port_bits) {
  ++count_;
  Entry& entry = newest();
  entry = {};
  entry.packet = std::move(packet);
  entry.port_bits = port_bits;
  return entry;
}

void PacketBuffers::cancel() {
  newest().packet.reset();
  --count_;
}

bool PacketBuffers::holds(unsigned set, Cycle now) const {
  const auto end = entries_.begin() + count_;
  return (now < sending_until_ && sending_set_ == set) ||
         std::any_of(entries_.begin(), end, [&](const Entry& entry) { return entry.set == set; });
}

std::uint32_t PacketBuffers::room(Cycle now) const {
  std::uint32_t staged = 0;
  for (unsigned n = 0; n < count_; ++n) staged |= entries_[n].port_bits;
  return link_->room(now) & ~staged;
}

PacketBuffers::Departure PacketBuffers::send_oldest(Cycle now) {
  std::uint32_t older = 0;
  for (unsigned index = 0; index < count_; ++index) {
    Entry& entry = entries_[index];
    if (now >= entry.ready_at && (entry.port_bits & older) == 0) {
      const std::uint32_t missing = entry.port_bits & ~link_->room(now);
      if (missing == 0) return send(now, index);
      if (entry.blocked_since == never) entry.blocked_since = now;
      watch(missing);
    }
    older |= entry.port_bits;
  }
  return {};
}

PacketBuffers::Departure PacketBuffers::send(Cycle now, unsigned index) {
  Entry& entry = entries_[index];
  Packet& packet = entry.packet.edit();
  if (entry.blocked_since != never) counters_.room_blocked_cycles += now - entry.blocked_since;
  packet.injected = now;
  sending_until_ = now + packet.flits;
  sending_set_ = entry.set;
  const auto kind = static_cast<unsigned>(packet.kind);
  ++counters_.packets[kind];
  counters_.bytes[kind] += packet.payload_bytes;
  if (entry.last) ++counters_.parcels[kind];
  const Departure departure{entry.parcel, sending_until_};
  link_->send(now, {std::move(entry.packet), entry.port_bits, 0});
  const auto place = entries_.begin() + index;
  std::move(place + 1, entries_.begin() + count_, place);
  --count_;
  --closed_;
  return departure;
}

void PacketBuffers::want_room(Cycle now, std::uint32_t ports) {
  watch(ports & ~link_->room(now));
}

void PacketBuffers::watch(std::uint32_t missing) {
  for (; missing != 0; missing &= missing - 1) {
    const auto fifo = static_cast<unsigned>(__builtin_ctz(missing));
    const Cycle at = link_->room_at(fifo);
    if (at == never) {
      watched_ |= 1U << fifo;
    } else {
      room_due_ = std::min(room_due_, at);
    }
  }
}

Cycle PacketBuffers::next_look(Cycle now) {
  if (watched_ != 0) link_->watch_room(watched_);
  watched_ = 0;
  Cycle due = std::exchange(room_due_, never);
  for (unsigned index = 0; index < count_; ++index) {
    const Cycle ready = entries_[index].ready_at;
    const Cycle at = ready == never ? never : std::max(ready, sending_until_);
    if (at > now) due = std::min(due, at);
  }
  return due;
}

}  // namespace tsuji::nic
