// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/nic_counters.h"

namespace tsuji::nic {

/// The whole packets between SPM and the network. The oldest leaves that is complete enough to flow without
/// bubbles and has room in all FIFOs it is written into, when the channel is free. Packets pass each other by
/// the rule of parcels (rooms/nic.md, Where the paper is silent, 1): only if their port sets are disjoint. A
/// strict FIFO would let one packet that was read ahead and finds no room keep back everything that goes
/// elsewhere.
class PacketBuffers {
 public:
  std::string stands_for() const { return "packet buffers (Kanoh 2000, section 4.2)"; }
  struct Entry {
    PacketRef packet;
    std::uint32_t port_bits = 0;
    int parcel = -1;         ///< the header register to tell when its last flit is gone; -1: nobody waits
    bool last = false;       ///< of its parcel
    std::uint8_t set = 0;    ///< control-register set that it comes from
    Cycle ready_at = never;  ///< `never` while it is being filled
    Cycle blocked_since = never;
  };

  PacketBuffers(const SenderConfig& config, SenderCounters& counters);
  void bind(PacketOutIf& link) { link_ = &link; }

  /// A packet's place is taken from the moment SPM chooses it until its last flit has left.
  bool has_place(Cycle now) const { return count_ + (now < sending_until_ ? 1U : 0U) < entries_.size(); }
  unsigned unsent() const { return count_; }
  Cycle sending_until() const { return sending_until_; }
  Entry& open(PacketRef packet, std::uint32_t port_bits);
  /// The entry that was opened last may leave from `ready_at` on.
  void close(Cycle ready_at) {
    newest().ready_at = ready_at;
    ++closed_;
  }
  Entry& newest() { return entries_[count_ - 1]; }
  /// The entry that was opened last will not be sent.
  void cancel();
  /// A packet of this set is in here or on the wires.
  bool holds(unsigned set, Cycle now) const;

  /// The room wires less what waits in here already.
  std::uint32_t room(Cycle now) const;
  /// Sends the packet that may leave in cycle `now`; tells which parcel waits for its end, and when that is.
  struct Departure {
    int parcel = -1;
    Cycle left_at = never;
  };
  Departure output(Cycle now) {
    return closed_ == 0 || now < sending_until_ ? Departure{} : send_oldest(now);
  }
  /// Also wakes the Sender when one of these FIFOs that has no room gets it.
  void want_room(Cycle now, std::uint32_t ports);
  /// When to look again; asks the channel for the wake-ups that cannot be foreseen. Ends the Sender's cycle.
  Cycle due(Cycle now) {
    return closed_ == 0 && watched_ == 0 && room_due_ == never ? never : next_look(now);
  }

 private:
  Departure send_oldest(Cycle now);
  Cycle next_look(Cycle now);
  Departure send(Cycle now, unsigned index);
  void watch(std::uint32_t missing);

  SenderCounters& counters_;
  PacketOutIf* link_ = nullptr;
  std::vector<Entry> entries_;       ///< the first count_, oldest first
  unsigned count_ = 0, closed_ = 0;  ///< entries; those that are no longer filled
  Cycle sending_until_ = 0;
  std::uint8_t sending_set_ = 0;
  std::uint32_t watched_ = 0;
  Cycle room_due_ = never;
};

}  // namespace tsuji::nic
