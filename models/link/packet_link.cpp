#include "link/packet_link.h"

#include <utility>

#include "core/error.h"

namespace tsuji {

PacketLink::PacketLink(const char* name, Cycle latency_cycles) : sc_object(name), latency_(latency_cycles) {
  if (latency_cycles == 0) throw ModelError(name, 0, "", "a channel has a latency of at least one cycle");
}

void PacketLink::bind_receiver(Clocked& receiver, unsigned fifos, unsigned slots_per_fifo, Cycle lag) {
  receiver_ = &receiver;
  lag_ = lag;
  fifos_ = fifos;
  slots_ = slots_per_fifo;
  usable_at_.assign(static_cast<std::size_t>(fifos) * slots_per_fifo, 0);
  write_.assign(fifos, 0);
  read_.assign(fifos, 0);
  // No more packets can be under way or waiting to be fetched than there are slots, each in one FIFO at least.
  ring_.resize(usable_at_.size() + 1);
}

std::uint32_t PacketLink::room(Cycle now) const {
  std::uint32_t wires = 0;
  for (unsigned fifo = 0; fifo < fifos_; ++fifo) {
    wires |= static_cast<std::uint32_t>(room_at(fifo) <= now) << fifo;
  }
  return wires;
}

void PacketLink::send(Cycle now, PacketTransfer transfer) {
  const Packet& packet = *transfer.packet;
  if (now < busy_until_ || transfer.port_bits == 0 || (transfer.port_bits & ~room(now)) != 0) {
    throw ModelError(name(), now, packet_name(packet.id),
                     now < busy_until_ ? "sent while the channel carries another packet"
                                       : "sent into a FIFO without room, or into none");
  }
  busy_until_ = now + packet.flits;
  flits_sent_ += packet.flits;
  ++packets_sent_;
  for (std::uint32_t bits = transfer.port_bits; bits != 0; bits &= bits - 1) {
    const auto fifo = static_cast<unsigned>(__builtin_ctz(bits));
    usable_at_[fifo * slots_ + write_[fifo]] = never;
    write_[fifo] = static_cast<std::uint8_t>(write_[fifo] + 1U == slots_ ? 0 : write_[fifo] + 1);
  }
  if (probe_ != nullptr && !probe_->on_send(now, transfer)) {
    for (std::uint32_t bits = transfer.port_bits; bits != 0; bits &= bits - 1) {
      release(static_cast<unsigned>(__builtin_ctz(bits)), now + packet.flits);
    }
    return;
  }
  Flying& place = ring_[(head_ + flying_) % ring_.size()];
  ++flying_;
  place.arrival = now + latency_;
  place.transfer = std::move(transfer);
  receiver_->wake_at(place.arrival + lag_);
}

bool PacketLink::receive(Cycle now, PacketTransfer& transfer, Cycle& arrival) {
  if (flying_ == 0 || ring_[head_].arrival > now) return false;
  arrival = ring_[head_].arrival;
  transfer = std::move(ring_[head_].transfer);
  head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
  --flying_;
  return true;
}

void PacketLink::release(unsigned fifo, Cycle at) {
  Cycle& usable = usable_at_[fifo * slots_ + read_[fifo]];
  if (usable != never) throw ModelError(name(), at, "", "FIFO " + std::to_string(fifo) + " gave back a slot it did not hold");
  usable = at + 1 + latency_;
  read_[fifo] = static_cast<std::uint8_t>(read_[fifo] + 1U == slots_ ? 0 : read_[fifo] + 1);
  if (probe_ != nullptr) probe_->on_room(fifo, usable);
  if ((watched_ >> fifo & 1U) != 0) sender_->wake_at(usable);
}

}  // namespace tsuji
