// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/wave.h"

namespace tsuji::instruments {

/// The packet on which the save file of a waveform opens, with the modules of the shown places that it
/// passes.
///
/// Contract: add() and include() before the first cycle; comes() for every head that comes to a place or
/// begins there, goes() for what happens to a packet later; times of one packet at one place never fall.
class FollowedPacket {
 public:
  static constexpr std::size_t least_signals = 3;
  using Part = observe::WaveView::Part;

  /// `wanted`: this packet; none: the first whose head comes from cycle `first` on, of equals the one with
  /// the lowest number.
  FollowedPacket(std::optional<PacketId> wanted, Cycle first) : wanted_(wanted), first_(first) {}

  /// A module at a place, an input port for instance: a heading, and paths of its signals. Parts of a place
  /// come in the order in which they were added; those with one heading become one.
  void add(const std::string& place, Part part) { places_[place].push_back({std::move(part), ""}); }
  /// The parts of `other` follow, those that are added to it later, too.
  void include(const std::string& place, const std::string& other) { places_[place].push_back({{}, other}); }

  void comes(const Packet& packet, const std::string& place, Cycle at);
  void goes(const Packet& packet, Cycle at) {
    if (found_ && packet.id == id_ && at > to_) to_ = at;
  }

  bool found() const { return found_; }
  /// The cycle in which its head comes to the first place, and the last one in which it was seen.
  Cycle from() const { return from_; }
  Cycle to() const { return to_; }
  std::string heading() const;
  /// Parts of its source (the place sends()), of each place in turn, and of its destination (receives()).
  /// Where they are more than `rows` rows the last signals of the longest parts are left out, down to
  /// `least_signals` of each.
  std::vector<Part> parts(std::size_t rows) const;
  /// Places of the ends of a network, to which parts may be added.
  static std::string sends(End end) { return "end " + end.name() + " sends"; }
  static std::string receives(End end) { return "end " + end.name() + " receives"; }

 private:
  struct Entry {
    Part part;
    std::string include;  ///< empty: the part
  };
  struct Stop {
    std::string place;
    Cycle at;
  };
  void collect(const std::string& place, std::vector<Part>& parts) const;

  std::optional<PacketId> wanted_;
  Cycle first_;
  bool found_ = false;
  PacketId id_ = 0;
  End source_, destination_;
  Cycle from_ = 0, to_ = 0;
  std::map<std::string, std::vector<Entry>> places_;
  std::vector<Stop> stops_;
};

}  // namespace tsuji::instruments
