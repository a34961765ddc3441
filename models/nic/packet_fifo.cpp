#include "nic/packet_fifo.h"

#include <algorithm>
#include <utility>

namespace tsuji::nic {

PacketFifo::PacketFifo(const SenderConfig& config, SenderCounters& counters)
    : counters_(counters), entries_(config.fifo_packets) {}

PacketFifo::Entry& PacketFifo::open(PacketRef packet, std::uint32_t port_bits) {
  ++count_;
  Entry& entry = newest();
  entry = {};
  entry.packet = std::move(packet);
  entry.port_bits = port_bits;
  return entry;
}

std::uint32_t PacketFifo::staged_ports() const {
  std::uint32_t ports = 0;
  for (unsigned n = 0; n < count_; ++n) ports |= entries_[(head_ + n) % entries_.size()].port_bits;
  return ports;
}

void PacketFifo::count(const Entry& entry) {
  const auto kind = static_cast<unsigned>(entry.packet->kind);
  ++counters_.packets[kind];
  counters_.bytes[kind] += entry.packet->payload_bytes;
  if (entry.last) ++counters_.parcels[kind];
}

PacketFifo::Departure PacketFifo::output(Cycle now) {
  if (count_ == 0) return {};
  Entry& head = entries_[head_];
  if (now < head.ready_at || now < sending_until_) return {};
  const std::uint32_t missing = head.port_bits & ~link_->room(now);
  if (missing != 0) {
    if (head.blocked_since == never) head.blocked_since = now;
    want_room(now, missing);
    return {};
  }
  if (head.blocked_since != never) counters_.room_blocked_cycles += now - head.blocked_since;
  head.packet.edit().injected = now;
  sending_until_ = now + head.packet->flits;
  count(head);
  const Departure departure{head.parcel, sending_until_};
  link_->send(now, {std::move(head.packet), head.port_bits, 0});
  head_ = head_ + 1 == entries_.size() ? 0 : head_ + 1;
  --count_;
  return departure;
}

void PacketFifo::want_room(Cycle now, std::uint32_t ports) {
  for (std::uint32_t missing = ports & ~link_->room(now); missing != 0; missing &= missing - 1) {
    const auto fifo = static_cast<unsigned>(__builtin_ctz(missing));
    const Cycle at = link_->room_at(fifo);
    if (at == never) {
      watched_ |= 1U << fifo;
    } else {
      room_due_ = std::min(room_due_, at);
    }
  }
}

Cycle PacketFifo::due(Cycle now) {
  if (watched_ != 0) link_->watch_room(watched_);
  watched_ = 0;
  Cycle due = std::exchange(room_due_, never);
  if (count_ > 0) {
    const Cycle ready = entries_[head_].ready_at;
    const Cycle at = ready == never ? never : std::max(ready, sending_until_);
    if (at > now) due = std::min(due, at);
  }
  return due;
}

}  // namespace tsuji::nic
