// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/link/lane_crossing.h"
#include "tsuji/mpi/message.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network {

/// Channels between modules of this rank and those of other ranks, in a network of modules. Every rank has
/// all modules and runs its own. After a window each flit and each credit of such a channel is a record of a
/// message; a packet travels with its head. From then on the receiver has a separate copy, and the sender
/// drops its copy with the last flit.
///
/// Contract: two ranks add the channels between them in the same order. put() and take() once for each other
/// rank after each window.
class RankChannels {
 public:
  RankChannels(PacketPool& pool, Arena& arena, unsigned ranks) : pool_(pool), arena_(arena), peers_(ranks) {}

  /// Channel from a module of this rank to one of another rank.
  void add_sender(unsigned rank, FlitChannel& channel) { add(peers_[rank].outgoing, channel); }
  /// Channel from a module of another rank to one of this rank.
  void add_receiver(unsigned rank, FlitChannel& channel) { add(peers_[rank].incoming, channel); }

  /// First cycles in which a module of another rank runs for a flit, or may fill a freed slot; `never`: none.
  struct First {
    Cycle flit = never, credit = never;
  };
  /// Appends what has been sent to a rank in the window that has ended.
  First put(unsigned rank, mpi::Bytes& message);
  /// Lets the content of another rank's message arrive after cycle `last`, the last one of the window.
  void take(unsigned rank, Cycle last, mpi::Reader& message);
  /// No further flit of the packet crosses.
  void forget(PacketIndex packet) {
    for (Peer& peer : peers_)
      for (std::vector<Cut>* const cuts : {&peer.outgoing, &peer.incoming})
        for (Cut& cut : *cuts)
          std::replace(cut.packets.begin(), cut.packets.end(), packet, traffic::no_packet);
  }
  /// True for a packet whose head is on another rank: it has changed there, and the copy here has not.
  bool has_left(PacketIndex packet) const {
    for (const Peer& peer : peers_)
      for (const Cut& cut : peer.outgoing)
        if (std::find(cut.packets.begin(), cut.packets.end(), packet) != cut.packets.end()) return true;
    return false;
  }
  /// Calls visit(PacketIndex) for the packets of which not all flits have come from another rank.
  template <class Visit>
  void visit_arriving(const Visit& visit) const {
    for (const Peer& peer : peers_)
      for (const Cut& cut : peer.incoming)
        for (const PacketIndex packet : cut.packets)
          if (packet != traffic::no_packet) visit(packet);
  }

 private:
  struct Cut {
    LaneCrossing crossing;
    std::vector<PacketIndex> packets;  ///< [VC] here: the packet whose flits cross, or no_packet
  };
  /// Records of a message name a channel by its place here.
  struct Peer {
    std::vector<Cut> outgoing, incoming;
  };
  struct Record;

  void add(std::vector<Cut>& cuts, FlitChannel& channel) {
    cuts.push_back(
        {LaneCrossing(channel, arena_), std::vector<PacketIndex>(channel.vcs(), traffic::no_packet)});
  }
  void put_flit(Cut& cut, const Record& place, const FlitSlot& slot, mpi::Bytes& message);
  void take_flit(Cut& cut, const Record& record, Cycle last, mpi::Reader& message);

  PacketPool& pool_;
  Arena& arena_;
  std::vector<Peer> peers_;  ///< [rank]
};

}  // namespace tsuji::network
