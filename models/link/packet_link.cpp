#include "tsuji/link/packet_link.h"

#include <utility>

#include "tsuji/core/error.h"

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
  // No more packets can be under way or waiting to be fetched than there are slots, each in one FIFO at
  // least.
  ring_.resize(usable_at_.size() + 1);
}

void PacketLink::refuse_send(Cycle now, const PacketTransfer& transfer, const char* why) const {
  throw ModelError(name(), now, packet_name(transfer.packet->id), why);
}

void PacketLink::refuse_release(unsigned fifo, Cycle at) const {
  throw ModelError(name(), at, "", "FIFO " + std::to_string(fifo) + " gave back a slot it did not hold");
}

void PacketLink::lose(const PacketTransfer& transfer, Cycle at) {
  for (std::uint32_t bits = transfer.port_bits; bits != 0; bits &= bits - 1) {
    release(static_cast<unsigned>(__builtin_ctz(bits)), at);
  }
}

}  // namespace tsuji
