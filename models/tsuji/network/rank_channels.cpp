// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/rank_channels.h"

#include <algorithm>

#include "tsuji/core/packet_image.h"

namespace tsuji::network {
namespace {

constexpr std::uint32_t no_channel = ~std::uint32_t{0};

}  // namespace

/// A flit with its flags and sequence number, or a credit, whose flags are 0. The cycle is the first one in
/// which the receiver acts on the flit, or the sender fills the slot. A head's PacketImage follows.
struct RankChannels::Record {
  std::uint32_t channel = no_channel;
  std::uint16_t sequence = 0;
  std::uint8_t vc = 0, flags = 0;
  Cycle cycle = 0;
};

namespace {

/// True for a flit with which its packet travels: a killed copy, which the receiver discards, has none.
bool brings_packet(unsigned flags) {
  return (flags & Flit::head) != 0 && (flags & Flit::killed) == 0;
}

}  // namespace

RankChannels::First RankChannels::put(unsigned rank, mpi::Bytes& message) {
  First first;
  Peer& peer = peers_[rank];
  for (std::uint32_t c = 0; c < peer.outgoing.size(); ++c) {
    LaneCrossing& crossing = peer.outgoing[c].crossing;
    for (unsigned vc = 0; vc < crossing.vcs(); ++vc) {
      crossing.visit_sent(vc, [&](const FlitSlot& slot) {
        first.flit = std::min(first.flit, crossing.wakes_at(slot));
        put_flit(peer.outgoing[c], {c, 0, static_cast<std::uint8_t>(vc), 0, 0}, slot, message);
      });
    }
  }
  for (std::uint32_t c = 0; c < peer.incoming.size(); ++c) {
    LaneCrossing& crossing = peer.incoming[c].crossing;
    for (unsigned vc = 0; vc < crossing.vcs(); ++vc) {
      crossing.visit_freed(vc, [&](Cycle usable) {
        first.credit = std::min(first.credit, usable);
        mpi::put(message, Record{c, 0, static_cast<std::uint8_t>(vc), 0, usable});
      });
    }
  }
  mpi::put(message, Record{});
  return first;
}

/// Appends a flit, with its packet if it is the head, and drops the packet if it is the last one.
void RankChannels::put_flit(Cut& cut, const Record& place, const FlitSlot& slot, mpi::Bytes& message) {
  const Flit flit = slot.flit();
  Record record = place;
  record.sequence = flit.sequence;
  record.flags = flit.flags;
  record.cycle = slot.cycle();
  mpi::put(message, record);
  PacketIndex& crosses = cut.packets[place.vc];
  if (brings_packet(flit.flags)) {
    mpi::put(message, PacketImage(pool_.at(flit.packet)));
    crosses = flit.packet;
  }
  if (flit.is_tail() && !flit.is_killed()) {
    pool_.attach(flit.packet).reset();
    crosses = traffic::no_packet;
  }
}

void RankChannels::take(unsigned rank, Cycle last, mpi::Reader& message) {
  Peer& peer = peers_[rank];
  for (auto record = message.get<Record>(); record.channel != no_channel; record = message.get<Record>()) {
    if (record.flags == 0) {
      peer.outgoing.at(record.channel).crossing.credit(record.vc, record.cycle);
    } else {
      take_flit(peer.incoming.at(record.channel), record, last, message);
    }
  }
}

void RankChannels::take_flit(Cut& cut, const Record& record, Cycle last, mpi::Reader& message) {
  PacketIndex& packet = cut.packets.at(record.vc);
  if (brings_packet(record.flags)) {
    const auto image = message.get<PacketImage>();
    PacketRef arrived = pool_.make_bare();
    image.copy_to(arrived.edit());
    packet = arrived.detach();
  }
  const bool killed = (record.flags & Flit::killed) != 0;
  FlitSlot slot;
  slot.fill(Flit{killed ? 0 : packet, record.sequence, record.flags}, record.cycle);
  cut.crossing.arrive(record.vc, slot, last);
  if ((record.flags & Flit::tail) != 0 && !killed) packet = traffic::no_packet;
}

}  // namespace tsuji::network
