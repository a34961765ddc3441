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

/// One packet that a waveform's view opens on, and what it has passed so far.
class FollowedPacket {
 public:
  /// The packet `id`; without one the first packet of `kind`; without both the first packet.
  struct Wanted {
    std::optional<PacketId> id;
    std::optional<PacketKind> kind;
  };
  explicit FollowedPacket(Wanted wanted) : wanted_(wanted) {}

  bool found() const { return found_; }
  PacketId id() const { return id_; }
  const Wanted& wanted() const { return wanted_; }
  /// The cycle in which its head comes to the first place, and the last one in which it was seen.
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

/// The packets on which the save file of a waveform opens, with the modules of the shown places that they
/// pass.
///
/// Contract: add() and include() before the first cycle; comes() for every head that comes to a place or
/// begins there, goes() for what happens to a packet later; times of one packet at one place never fall.
class FollowedPackets {
 public:
  static constexpr std::size_t least_signals = 3;
  using Part = observe::WaveView::Part;

  /// `wanted`: at least one. "First" is the packet whose head comes from cycle `first` on, of equals the one
  /// with the lowest number; a packet is followed once.
  FollowedPackets(const std::vector<FollowedPacket::Wanted>& wanted, Cycle first);

  /// A module at a place, an input port for instance: a heading, and paths of its signals. Parts of a place
  /// come in the order in which they were added; those with one heading become one.
  void add(const std::string& place, Part part) { places_[place].push_back({std::move(part), ""}); }
  /// The parts of `other` follow, those that are added to it later, too.
  void include(const std::string& place, const std::string& other) { places_[place].push_back({{}, other}); }

  /// A packet can be the first of its kind at `place`, and at no place for which this was not called:
  /// elsewhere packets carry others under their numbers. Without a call: everywhere.
  void kinds_begin_at(const std::string& place) { kinds_begin_.insert(place); }

  void comes(const Packet& packet, const std::string& place, Cycle at);
  void goes(const Packet& packet, Cycle at);

  /// All that are wanted, in the order in which they were given.
  const std::vector<FollowedPacket>& packets() const { return packets_; }
  /// Those that are found, by the cycle of their first place.
  std::vector<const FollowedPacket*> found() const;
  /// Parts of a packet's source (the place sends()), of each place in turn, and of its destination
  /// (receives()). Where they are more than `rows` rows the last signals of the longest parts are left out,
  /// down to `least_signals` of each.
  std::vector<Part> parts(const FollowedPacket& packet, std::size_t rows) const;
  /// Places of the ends of a network, to which parts may be added.
  static std::string sends(End end) { return "end " + end.name() + " sends"; }
  static std::string receives(End end) { return "end " + end.name() + " receives"; }

 private:
  struct Entry {
    Part part;
    std::string include;  ///< empty: the part
  };
  bool may_begin(const FollowedPacket& followed, const Packet& packet, const std::string& place) const;
  void collect(const std::string& place, std::vector<Part>& parts) const;

  std::vector<FollowedPacket> packets_;
  Cycle first_;
  std::set<std::string> kinds_begin_;  ///< places; empty: everywhere
  std::map<std::string, std::vector<Entry>> places_;
};

}  // namespace tsuji::instruments
