// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet_image.h"
#include "tsuji/mpi/message.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network {

/// Births and deliveries of the packets of a rank, kept as the bytes of a message until the window is over.
/// Then all ranks report the events of all ranks, each from such a message.
class RankEvents final : public traffic::FlitNodeEvents {
 public:
  void on_born(End source, const traffic::Emission& emission, Cycle now) override {
    mpi::put(message_, Kind::birth);
    mpi::put(message_, Birth{emission.created, now, source, emission.flits, emission.sid});
  }
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override {
    mpi::put(message_, Kind::delivery);
    mpi::put(message_, Delivery{PacketImage(packet), head, tail});
  }
  /// Appends the events of the window to a message for another rank.
  void put(mpi::Bytes& message) const {
    message.append(message_.data(), message_.size());
    mpi::put(message, Kind::end);
  }
  /// Reports the events that put() has appended on another rank, in their order.
  static void report(mpi::Reader& message, traffic::FlitNodeEvents& events);
  /// Reports the events of this rank in their order, and forgets them.
  void report_own(traffic::FlitNodeEvents& events);

 private:
  enum class Kind : std::uint8_t { end, birth, delivery };
  /// Fields of an emission that accounts read.
  struct Birth {
    Cycle created = 0, now = 0;
    End source;
    std::uint16_t flits = 0;
    std::uint8_t sid = 0;
  };
  struct Delivery {
    PacketImage packet;
    Cycle head = 0, tail = 0;
  };
  mpi::Bytes message_;
};

}  // namespace tsuji::network
