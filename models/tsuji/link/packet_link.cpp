// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/packet_link.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji {

PacketLink::PacketLink(const char* name, Cycle latency_cycles, RoomSignal room_signal)
    : sc_object(name),
      latency_(latency_cycles),
      untrusted_cycles_(room_signal == RoomSignal::wire ? 2 * latency_cycles + 1 : 0) {
  if (latency_cycles == 0) throw ModelError(name, 0, "", "a channel has a latency of at least one cycle");
}

void PacketLink::bind_receiver(Clocked& receiver, unsigned fifos, unsigned slots_per_fifo, Cycle lag) {
  receiver_ = &receiver;
  lag_ = lag;
  fifos_ = fifos;
  slots_ = slots_per_fifo;
  usable_at_.assign(static_cast<std::size_t>(fifos) * slots_per_fifo, 0);
  trusted_at_.assign(fifos, 0);
  write_.assign(fifos, 0);
  read_.assign(fifos, 0);
  // At most as many packets are in flight or waiting to be fetched as there are slots: each has a slot in at
  // least one FIFO.
  ring_.resize(usable_at_.size() + 1);
}

void PacketLink::clear() {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (receive(never, transfer, arrival)) transfer.packet.reset();
  usable_at_.assign(usable_at_.size(), 0);
  trusted_at_.assign(trusted_at_.size(), 0);
  write_.assign(write_.size(), 0);
  read_.assign(read_.size(), 0);
  busy_until_ = all_trusted_at_ = 0;
  watched_ = 0;
}

void PacketLink::refuse_send(Cycle now, const PacketTransfer& transfer, const char* why) const {
  throw ModelError(name(), now, packet_name(transfer.packet->id), why);
}

void PacketLink::refuse_release(unsigned fifo, Cycle at) const {
  throw ModelError(name(), at, "", "FIFO " + std::to_string(fifo) + " returned a slot that it did not hold");
}

void PacketLink::distrust(Cycle now, std::uint32_t fifos) {
  all_trusted_at_ = now + untrusted_cycles_;
  for (std::uint32_t left = fifos; left != 0; left &= left - 1) {
    const auto fifo = static_cast<unsigned>(__builtin_ctz(left));
    trusted_at_[fifo] = all_trusted_at_;
    Cycle& next_usable = usable_at_[fifo * slots_ + write_[fifo]];
    next_usable = std::max(next_usable, all_trusted_at_);
  }
}

void PacketLink::lose(const PacketTransfer& transfer, Cycle at) {
  for (std::uint32_t bits = transfer.port_bits; bits != 0; bits &= bits - 1) {
    release(static_cast<unsigned>(__builtin_ctz(bits)), at);
  }
}

}  // namespace tsuji
