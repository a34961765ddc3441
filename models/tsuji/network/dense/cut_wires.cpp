// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/cut_wires.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/packet_image.h"

namespace tsuji::network::dense {
namespace {

constexpr std::size_t block_units = 64;
constexpr std::uint32_t no_direction = ~std::uint32_t{0};

}  // namespace

/// Flits that a direction to the receiver has sent, and credits of a direction from it, which arrive in one
/// cycle. Bits are virtual channels.
struct CutWires::Record {
  std::uint32_t direction = no_direction;
  std::uint32_t ahead = 0;  ///< cycles after the window
  Bits flits = 0, credits = 0;
};

Wire CutWires::wire(Peer& peer, std::size_t number, unsigned word, Cycle cycles) {
  while (peer.blocks.size() * block_units <= number)
    peer.blocks.push_back(std::make_unique<Bits[]>(slots_.all_words()));
  Bits* const units = peer.blocks[number / block_units].get();
  const auto unit = static_cast<unsigned>(number % block_units);
  Wire wire;
  wire.units = units;
  wire.unit = bit(unit);
  wire.word = static_cast<std::uint16_t>(slots_.row(unit) + word);
  wire.cycles = static_cast<std::uint8_t>(cycles);
  return wire;
}

CutWires::Sender CutWires::add_sender(unsigned rank, unsigned vcs, Cycle cycles, const NearEnd& credits) {
  Peer& peer = peers_[rank];
  Outgoing direction;
  direction.credits = credits;
  direction.heads = queues_.add(vcs);
  direction.flows.resize(vcs);
  peer.outgoing.push_back(std::move(direction));
  return {wire(peer, peer.outgoing.size() - 1, 0, cycles), peer.outgoing.back().heads};
}

Wire CutWires::add_receiver(unsigned rank, unsigned vcs, Cycle cycles, const NearEnd& flits,
                            QueueIndex heads) {
  Peer& peer = peers_[rank];
  peer.incoming.push_back({flits, heads, std::vector<Flow>(vcs)});
  return wire(peer, peer.incoming.size() - 1, 1, cycles);
}

Cycle CutWires::put(unsigned rank, Cycle last, mpi::Bytes& message) {
  Peer& peer = peers_[rank];
  const std::size_t* const offsets = slots_.from(last);
  Cycle first = never;
  for (Cycle ahead = 1; ahead <= slots_.mask(); ++ahead) {
    for (std::size_t block = 0; block < peer.blocks.size(); ++block) {
      Bits* const row = &in_slot(peer.blocks[block].get(), offsets[ahead]);
      for (Bits rest = std::exchange(*row, 0); rest != 0; rest &= rest - 1) {
        const unsigned unit = lowest(rest);
        const Bits flits = slots_.take_word(row, slots_.row(unit));
        const Bits credits = slots_.take_word(row, slots_.row(unit) + 1);
        put(peer,
            {static_cast<std::uint32_t>(block * block_units + unit), static_cast<std::uint32_t>(ahead), flits,
             credits},
            message);
        first = std::min(first, last + ahead);
      }
    }
  }
  mpi::put(message, Record{});
  return first;
}

void CutWires::put(Peer& peer, const Record& record, mpi::Bytes& message) {
  mpi::put(message, record);
  if (record.flits != 0) put_heads(peer.outgoing[record.direction], record.flits, message);
}

/// Appends the packets whose first flit is among `flits`, and drops those whose last one is.
void CutWires::put_heads(Outgoing& direction, Bits flits, mpi::Bytes& message) {
  for (; flits != 0; flits &= flits - 1) {
    const unsigned vc = lowest(flits);
    Flow& flow = direction.flows[vc];
    if (flow.left == 0) {
      flow.packet = queues_.all()[direction.heads + vc].pop(pool_);
      if (flow.packet == traffic::no_packet) throw ModelError("ranks", "a flit crosses without its packet");
      flow.left = pool_.at(flow.packet).flits;
      mpi::put(message, PacketImage(pool_.at(flow.packet)));
    }
    if (--flow.left == 0) pool_.attach(flow.packet).reset();
  }
}

void CutWires::take(unsigned rank, Cycle last, mpi::Reader& message) {
  Peer& peer = peers_[rank];
  const std::size_t* const offsets = slots_.from(last);
  const auto arrive = [&](const NearEnd& end, Bits bits, Cycle ahead) {
    Bits& units = in_slot(end.units, offsets[ahead]);
    // A module with a unit that runs then is woken for it.
    if (units == 0) end.home->call(last + ahead);
    units |= end.unit;
    slots_.add(&units, end.word, bits << end.first_bit);
  };
  for (auto record = message.get<Record>(); record.direction != no_direction;
       record = message.get<Record>()) {
    if (record.flits != 0) {
      Incoming& direction = peer.incoming.at(record.direction);
      take_heads(direction, record.flits, message);
      arrive(direction.flits, record.flits, record.ahead);
    }
    if (record.credits != 0) arrive(peer.outgoing.at(record.direction).credits, record.credits, record.ahead);
  }
}

void CutWires::take_heads(Incoming& direction, Bits flits, mpi::Reader& message) {
  for (; flits != 0; flits &= flits - 1) {
    const unsigned vc = lowest(flits);
    Flow& flow = direction.flows[vc];
    if (flow.left == 0) {
      const auto image = message.get<PacketImage>();
      PacketRef packet = image.payload_bytes == 0 ? pool_.make_bare() : pool_.make();
      image.copy_to(packet.edit());
      flow.left = image.flits;
      flow.packet = packet.detach();
      queues_.all()[direction.heads + vc].push(flow.packet, pool_);
    }
    --flow.left;
  }
}

}  // namespace tsuji::network::dense
