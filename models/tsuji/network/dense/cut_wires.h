// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/mpi/message.h"
#include "tsuji/network/dense/wires.h"

namespace tsuji::network::dense {

/// Directions of links between routers and nodes of this rank and those of other ranks. Flits and credits for
/// another rank wait in slots, like those of a receiver, until the window is over; then each is a record of a
/// message. A packet travels with its head: from then on the receiver has a separate copy, and the sender
/// drops its copy with the last flit.
///
/// Contract: two ranks add the directions between them in the same order. put() and take() once for each
/// other rank after each window.
class CutWires {
 public:
  CutWires(const Slots& slots, HeadQueues& queues, PacketPool& pool, unsigned ranks)
      : slots_(slots), queues_(queues), pool_(pool), peers_(ranks) {}

  /// End of a direction here: the word of a unit's row (Slots::row), and the bit of its virtual channel 0.
  struct NearEnd {
    Bits* units;
    unsigned word;
    Bits unit;
    Home* home;
    unsigned first_bit;
  };
  /// Sender's end of a direction: bits and queues of heads are those of virtual channels from 0 on.
  struct Sender {
    Wire wire;
    QueueIndex heads;
  };
  /// Direction to another rank, whose credits come back to `credits`.
  Sender add_sender(unsigned rank, unsigned vcs, Cycle cycles, const NearEnd& credits);
  /// Direction from another rank, with `vcs` virtual channels, to the unit at `flits` and its queues of
  /// heads. Returns the wire of the credits, whose bits are those of virtual channels from 0 on.
  Wire add_receiver(unsigned rank, unsigned vcs, Cycle cycles, const NearEnd& flits, QueueIndex heads);

  /// Appends what has been sent to a rank in the window that ended with cycle `last`. Returns the cycle in
  /// which the first of it arrives; `never`: nothing.
  Cycle put(unsigned rank, Cycle last, mpi::Bytes& message);
  /// Lets the content of another rank's message arrive.
  void take(unsigned rank, Cycle last, mpi::Reader& message);
  /// Calls visit(PacketIndex) for the packets of which not all flits have come from another rank.
  template <class Visit>
  void visit_arriving(const Visit& visit) const {
    for (const Peer& peer : peers_)
      for (const Incoming& direction : peer.incoming)
        for (const Flow& flow : direction.flows)
          if (flow.left != 0) visit(flow.packet);
  }

 private:
  /// The packet of a virtual channel whose flits cross.
  struct Flow {
    PacketIndex packet = 0;
    std::uint16_t left = 0;  ///< flits that have not crossed; 0: between two packets
  };
  struct Outgoing {
    NearEnd credits;
    QueueIndex heads;
    std::vector<Flow> flows;  ///< [VC]
  };
  struct Incoming {
    NearEnd flits;
    QueueIndex heads;
    std::vector<Flow> flows;  ///< [VC]
  };
  /// Direction number n to the rank has flits in unit n % 64 of block n / 64, and direction number n from it
  /// has credits there.
  struct Peer {
    std::vector<std::unique_ptr<Bits[]>> blocks;
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
  };
  struct Record;

  Wire wire(Peer& peer, std::size_t number, unsigned word, Cycle cycles);
  void put(Peer& peer, const Record& record, mpi::Bytes& message);
  void put_heads(Outgoing& direction, Bits flits, mpi::Bytes& message);
  void take_heads(Incoming& direction, Bits flits, mpi::Reader& message);

  const Slots& slots_;
  HeadQueues& queues_;
  PacketPool& pool_;
  std::vector<Peer> peers_;  ///< [rank]
};

}  // namespace tsuji::network::dense
