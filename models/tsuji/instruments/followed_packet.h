// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::instruments {

/// The packet on which the save file of a waveform opens, with the inputs of the shown routers on its route.
///
/// Contract: comes() for every head that begins at a shown input, goes() for what happens to a packet later;
/// times of one packet never fall.
class FollowedPacket {
 public:
  /// `wanted`: this packet; none: the first whose head begins from cycle `first` on, of equals the one with
  /// the lowest number.
  FollowedPacket(std::optional<PacketId> wanted, Cycle first) : wanted_(wanted), first_(first) {}

  void comes(const Packet& packet, const std::string& port, unsigned vc, Cycle at);
  void goes(const Packet& packet, Cycle at) {
    if (found_ && packet.id == id_ && at > to_) to_ = at;
  }

  bool found() const { return found_; }
  End source() const { return source_; }
  End destination() const { return destination_; }
  /// The cycle in which its head begins at the first input, and the last one in which it was seen.
  Cycle from() const { return from_; }
  Cycle to() const { return to_; }
  std::string heading() const;
  /// Paths of signals at each input in turn, as far as there are any of that name: at most `rows`, the names
  /// at the end left out first. A name with a dot in front is of the virtual channel, another one of the
  /// port.
  std::vector<std::string> signals(std::vector<std::string> names, std::size_t rows) const;

 private:
  struct Stop {
    std::string port;
    unsigned vc;
  };
  std::optional<PacketId> wanted_;
  Cycle first_;
  bool found_ = false;
  PacketId id_ = 0;
  End source_, destination_;
  Cycle from_ = 0, to_ = 0;
  std::vector<Stop> stops_;
};

}  // namespace tsuji::instruments
