// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji {
class Clocked;
}

namespace tsuji::traffic {

inline constexpr PacketIndex no_packet = ~PacketIndex{0};

/// One packet that a node is to send: when it is born, what it is and where it goes. Its maker names its
/// length: one of 0 flits is refused (CheckedSource).
struct Emission {
  Cycle created = 0;
  PacketKind kind = PacketKind::single_cast;
  std::uint8_t sid = 0;
  std::uint8_t header_flits = 0, word_flits = 0;   ///< of Packet, as waveforms spell them
  std::uint16_t payload_bytes = 0;                 ///< a multiple of 8 (4 with `packet`), at most 256
  std::uint16_t flits = 0;                         ///< at least 1
  PacketClass packet_class = PacketClass::normal;  ///< flit networks
  End destination;
  std::uint32_t group = 0;
  std::uint64_t map = 0;
  std::array<std::uint64_t, 2>
      header{};  ///< of the packet; meaning is the source's and its receiver's (flit networks)
  PacketIndex packet = no_packet;  ///< one that has been made elsewhere and is sent as it is (flit networks)
};

/// Packets of one node, in order of birth. Data behind an interface: synthetic loads, lists, recorded
/// traffic.
///
/// Contract: each packet of next() has at least one flit, goes to a node of the network, and is born no
/// earlier than the one before; at most `most_births` are born in one cycle. Any other packet ends the run
/// (CheckedSource).
class EmissionSource {
 public:
  static constexpr std::uint32_t most_births = 1U << 22;

  virtual ~EmissionSource() = default;
  /// The next packet; false when there are no more, or none until something has arrived.
  virtual bool next(Emission& emission) = 0;
  /// False: nothing that arrives or leaves matters to it, and it does nothing of its own accord, so that
  /// nothing but next() need be called (flit networks).
  virtual bool listens() const { return true; }
  /// Lookahead towards other nodes: but for its packets, nothing of the source shows at another node, or in
  /// anything that nodes share, for so many cycles. `never`: it knows of its own node only.
  virtual Cycle lookahead_cycles() const { return 1; }
  /// A packet's last flit has arrived at this node in cycle `now`. A packet that next() gives after it is
  /// born at `now` + 1 at the earliest, so it does not matter whether sink or injector ran first in this
  /// cycle.
  virtual void arrived(Cycle now, const Packet& packet) {
    (void)now;
    (void)packet;
  }
  /// arrived() with the packet itself, for a source that hands it on.
  virtual void take(Cycle now, PacketRef packet) { arrived(now, *packet); }
  /// No further packet may begin to come out of the network here; asked again after each of the calls below
  /// (flit networks).
  virtual bool is_full() const { return false; }
  /// Before the simulation starts: the module that asks. Channels of the source's own wake it.
  virtual void bind(Clocked& node) { (void)node; }
  /// The last flit of a packet of this node goes on the wires in cycle `now`. A packet that follows from it
  /// is born a cycle later, too.
  virtual void departed(Cycle now, const Packet& packet) {
    (void)now;
    (void)packet;
  }
  /// A packet of this node has been dropped in the network, which is known between cycle `now` and the next
  /// one (flit networks). A packet that follows from it is born a cycle later, too. `cause`: a word of the
  /// table of drops; given_up: all packets of a message that is sent again and again (retry_source.h).
  virtual void dropped(Cycle now, const Packet& packet, const char* cause) {
    (void)now;
    (void)packet;
    (void)cause;
  }
  /// The cycle in which advance() is to be called although nothing has been born; asked again after each
  /// arrival, departure, drop and advance().
  virtual Cycle next_event() const { return never; }
  /// It is cycle `now`, and all that arrived or departed in earlier cycles has been told; next() is called
  /// behind it.
  virtual void advance(Cycle now) { (void)now; }
};

/// Packets in a given order.
class ListedEmissions final : public EmissionSource {
 public:
  explicit ListedEmissions(std::vector<Emission> list) : list_(std::move(list)) {}
  bool next(Emission& emission) override;
  bool listens() const override { return false; }
  Cycle lookahead_cycles() const override { return never; }

 private:
  std::vector<Emission> list_;
  std::size_t next_ = 0;
};

/// The bytes that a synthetic packet carries, as a function of its identity: a sink knows what must arrive.
std::uint64_t payload_word(PacketId id, unsigned word);

}  // namespace tsuji::traffic
