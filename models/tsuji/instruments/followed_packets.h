// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/wave.h"

namespace tsuji::instruments {

/// A packet that a waveform's view opens on, and the places that it has passed so far.
class FollowedPacket {
 public:
  /// Selection: the packet `id`; without it the first packet of `kind`; without both the first packet.
  struct Wanted {
    std::optional<PacketId> id;
    std::optional<PacketKind> kind;
  };
  explicit FollowedPacket(Wanted wanted) : wanted_(wanted) {}

  bool found() const { return found_; }
  PacketId id() const { return id_; }
  const Wanted& wanted() const { return wanted_; }
  /// Cycles in which its head reached its first place, and in which it was last seen.
  Cycle from() const { return from_; }
  Cycle to() const { return to_; }
  std::string heading() const;

 private:
  friend class FollowedPackets;
  struct Stop {
    std::string place;
    Cycle at;
  };
  bool may_be(const Packet& packet) const;
  void begin_with(const Packet& packet, Cycle at);
  void stop(const std::string& place, Cycle at);

  Wanted wanted_;
  bool found_ = false;
  PacketId id_ = 0;
  PacketKind kind_ = PacketKind::single_cast;
  End source_, destination_;
  Cycle from_ = 0, to_ = 0;
  std::vector<Stop> stops_;
};

/// Packets on which the save file of a waveform opens, with the modules of the shown places that they pass.
///
/// Contract: add() and include() before the first cycle; comes() for each head that reaches a place or starts
/// there, goes() for later events of a packet. The times of one packet at one place never decrease.
class FollowedPackets {
 public:
  static constexpr std::size_t least_signals = 3;
  using Part = observe::WaveView::Part;

  /// `wanted` has at least one element. The first packet is the one whose head comes in cycle `first` or
  /// later, of equal ones the one with the lowest number; each packet is followed once.
  FollowedPackets(const std::vector<FollowedPacket::Wanted>& wanted, Cycle first);

  /// Adds a module at a place, such as an input port: a heading, and paths of its signals. Parts of a place
  /// are in the order of the calls; parts with equal headings are merged.
  void add(const std::string& place, Part part) { places_[place].push_back({std::move(part), ""}); }
  /// Adds the parts of `other` to a place, including those that are added to `other` later.
  void include(const std::string& place, const std::string& other) { places_[place].push_back({{}, other}); }

  /// Adds a place at which the first packet of a kind is looked for. Without any call it is looked for at all
  /// places. For networks in which packets of other places carry packets under their numbers.
  void kinds_begin_at(const std::string& place) { kinds_begin_.insert(place); }

  void comes(const Packet& packet, const std::string& place, Cycle at);
  void goes(const Packet& packet, Cycle at);

  /// All wanted packets, in the order in which they were given.
  const std::vector<FollowedPacket>& packets() const { return packets_; }
  /// The packets that were found, by the cycle of their first place.
  std::vector<const FollowedPacket*> found() const;
  /// Parts of a packet's source (place sends()), of each place in turn, and of its destination (receives()).
  /// Above `rows` rows the last signals of the longest parts are left out, down to `least_signals` of each.
  std::vector<Part> parts(const FollowedPacket& packet, std::size_t rows) const;
  /// Names of the places at the ends of a network, to which parts may be added.
  static std::string sends(End end) { return "end " + end.name() + " sends"; }
  static std::string receives(End end) { return "end " + end.name() + " receives"; }

 private:
  struct Entry {
    Part part;
    std::string include;  ///< empty: `part` is valid
  };
  bool may_begin(const FollowedPacket& followed, const Packet& packet, const std::string& place) const;
  void collect(const std::string& place, std::vector<Part>& parts) const;

  std::vector<FollowedPacket> packets_;
  Cycle first_;
  std::set<std::string> kinds_begin_;  ///< places of kinds_begin_at(); empty: all
  std::map<std::string, std::vector<Entry>> places_;
};

}  // namespace tsuji::instruments
