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

inline constexpr PacketIndex no_packet = ~PacketIndex{0};  ///< Index of no packet.

/// A packet that a node is to send: its birth cycle, its contents and its destination. Its source sets the
/// length; CheckedSource refuses a packet of 0 flits.
struct Emission {
  Cycle created = 0;                          ///< Cycle of birth.
  PacketKind kind = PacketKind::single_cast;  ///< Kind of the packet.
  /// Synchronization identifier, 0..127; in a network with classes of messages the number of its class.
  std::uint8_t sid = 0;
  /// Packet::header_flits and Packet::word_flits, with which waveforms name the flits.
  std::uint8_t header_flits = 0,    ///< Packet::header_flits, with which waveforms name the flits.
      word_flits = 0;               ///< Packet::word_flits, with which waveforms name the flits.
  std::uint16_t payload_bytes = 0;  ///< At most 256; a multiple of 8 (of 4 if `packet` is given).
  std::uint16_t flits = 0;          ///< length with its header, at least 1
  PacketClass packet_class = PacketClass::normal;  ///< Class of the packet; used by flit networks only.
  std::uint16_t vcs = 0xffff;  ///< Mask of the virtual channels that the packet may take; flit networks only.
  End destination;             ///< Node or router that receives the packet.
  std::uint32_t group = 0;     ///< Group of nodes of a multicast or synchronization packet.
  std::uint64_t map = 0;  ///< Members of `group`, one bit each, of a multicast or synchronization packet.
  std::array<std::uint64_t, 2>
      header{};  ///< Header words of the packet, defined by the source and its receiver; flit networks only.
  /// A packet that was made elsewhere and is sent unchanged; flit networks only.
  PacketIndex packet = no_packet;
};

/// Packets of one node in order of birth: a synthetic load, a packet list, recorded traffic, a network
/// interface.
///
/// Contract:
/// - bind() is called once, before the simulation starts;
/// - next() is called in a cycle `now` in which the node may need a packet. It returns false if there is no
///   further packet, or none before something arrives. A packet has at least one flit, goes to a node of the
///   network and is born no earlier than the one before it; at most `most_births` packets are born in one
///   cycle. Any other packet ends the run (CheckedSource);
/// - if listens(), the node also reports events: arrived() or take(), departed(), and dropped(), each in the
///   cycle of the event or, for a drop, between two cycles;
/// - if listens(), advance(now) is called before next() in that cycle, after all events of earlier cycles
///   have been reported, and also in the cycle next_event(). next_event() and is_full() are read again after
///   each of these calls;
/// - a packet that results from an event of cycle `now` is born in `now` + 1 or later. The order in which
///   injector and sink run within a cycle therefore does not matter.
class EmissionSource {
 public:
  /// Largest number of packets that one node may create in one cycle.
  static constexpr std::uint32_t most_births = 1U << 22;

  virtual ~EmissionSource() = default;
  /// Writes the next packet to `emission`. Returns false if there is no further packet, or none before an
  /// event.
  virtual bool next(Emission& emission) = 0;
  /// False if no event affects the source, so that only next() need be called (flit networks).
  virtual bool listens() const { return true; }
  /// True if the node may call next() for a packet long after its birth, so that it holds only the packets
  /// that it sends next, not all of a long message. The number of births in one cycle is then unlimited.
  virtual bool births_may_wait() const { return false; }
  /// Lookahead towards other nodes in cycles: apart from its packets, nothing that the source does becomes
  /// visible at another node, or in data shared by nodes, for this time. `never`: the source only uses data
  /// of its own node.
  virtual Cycle lookahead_cycles() const { return 1; }
  /// Reports that the last flit of a packet has arrived at this node in cycle `now`.
  virtual void arrived(Cycle now, const Packet& packet) {
    (void)now;
    (void)packet;
  }
  /// arrived() with ownership of the packet, for a source that forwards it.
  virtual void take(Cycle now, PacketRef packet) { arrived(now, *packet); }
  /// True while no further packet may begin to be ejected at this node (flit networks).
  virtual bool is_full() const { return false; }
  /// Mask of the classes of messages of which no further packet may begin to be ejected, because its answer
  /// would find no room. Unlike is_full() it lasts until the network has carried answers away, so that a run
  /// in which all wait for each other is stopped. Read after each event, in networks with classes only.
  virtual unsigned closed_classes() const { return 0; }
  /// True if classes of closed_classes() wait for something outside of the network, such as the module at a
  /// TLM-2.0 socket. Such a wait is no lack of progress of the network.
  virtual bool waits_for_user() const { return false; }
  /// Reports that the head of a packet is ejected here, in networks with classes of messages only.
  virtual void begins(Cycle now, const Packet& packet) {
    (void)now;
    (void)packet;
  }
  /// Passes the module that calls this source. Channels that the source owns wake that module. Not called in
  /// a network without modules, unless LoadedParts::sources_have_channels announces them.
  virtual void bind(Clocked& node) { (void)node; }
  /// Reports that the last flit of a packet of this node is sent on the link in cycle `now`.
  virtual void departed(Cycle now, const Packet& packet) {
    (void)now;
    (void)packet;
  }
  /// Reports, between cycle `now` and the next one, that the network has dropped a packet of this node (flit
  /// networks). `cause` is a word of the table of drops; the cause given_up means that all packets of a
  /// message that retry repeats have been lost (retry_source.h).
  virtual void dropped(Cycle now, const Packet& packet, const char* cause) {
    (void)now;
    (void)packet;
    (void)cause;
  }
  /// Cycle in which advance() must be called even if no packet is due; `never`: none.
  virtual Cycle next_event() const { return never; }
  /// Advances the source to cycle `now`.
  virtual void advance(Cycle now) { (void)now; }
};

/// Source of packets in a given order.
class ListedEmissions final : public EmissionSource {
 public:
  /// `list` holds the packets in order of birth.
  explicit ListedEmissions(std::vector<Emission> list) : list_(std::move(list)) {}
  bool next(Emission& emission) override;
  bool listens() const override { return false; }
  Cycle lookahead_cycles() const override { return never; }

 private:
  std::vector<Emission> list_;
  std::size_t next_ = 0;
};

/// Word `word` of the bytes that a synthetic packet carries, a function of the packet's identity, so that a
/// sink can check them.
std::uint64_t payload_word(PacketId id, unsigned word);

}  // namespace tsuji::traffic
