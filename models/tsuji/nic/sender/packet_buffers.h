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

/// Buffers for whole packets between SPM and the network. When the channel is free, the oldest packet leaves
/// that is complete enough to be sent without bubbles and has room in all FIFOs of its destinations. Packets
/// overtake each other by the rule of parcels (rooms/nic.md, Where the paper is silent, 1): only if their
/// port sets are disjoint. In a strict FIFO, a packet that was read ahead and has no room would block packets
/// to other destinations.
///
/// Contract: bind() once. For each packet SPM calls open(), if has_place(), then close() or cancel(). In each
/// cycle the Sender calls output(), and due() at the end of the cycle.
class PacketBuffers {
 public:
  std::string stands_for() const { return "packet buffers (Kanoh 2000, section 4.2)"; }
  /// Buffer with its packet.
  struct Entry {
    PacketRef packet;             ///< the packet
    std::uint32_t port_bits = 0;  ///< Ports of the first switch, one bit each.
    int parcel = -1;              ///< Header register to notify after the last flit; -1: none.
    bool last = false;            ///< Last packet of its parcel.
    std::uint8_t set = 0;         ///< Control-register set of the parcel.
    Cycle ready_at =
        never;  ///< Cycle from which the packet may leave; `never` while the buffer is being filled.
    Cycle blocked_since = never;  ///< Cycle of the first refusal because of a full FIFO.
  };

  PacketBuffers(const SenderConfig& config, SenderCounters& counters);
  /// Sets the channel to the first switch.
  void bind(PacketOutIf& link) { link_ = &link; }

  /// True if a buffer is free. A packet occupies its buffer from SPM's choice until its last flit has left.
  bool has_place(Cycle now) const { return count_ + (now < sending_until_ ? 1U : 0U) < entries_.size(); }
  /// True if a buffer is free, whatever is sent meanwhile.
  bool keeps_place() const { return count_ + 1 < entries_.size(); }
  /// Number of packets that have not begun to leave.
  unsigned unsent() const { return count_; }
  /// First cycle in which the channel is free.
  Cycle sending_until() const { return sending_until_; }
  /// Adds a packet to a free buffer; has_place() must be true.
  Entry& open(PacketRef packet, std::uint32_t port_bits);
  /// Allows the entry opened last to leave from `ready_at` on.
  void close(Cycle ready_at) {
    newest().ready_at = ready_at;
    ++closed_;
  }
  /// The entry opened last.
  Entry& newest() { return entries_[count_ - 1]; }
  /// Discards the entry opened last.
  void cancel();
  /// True if a packet of this set is in a buffer or on the link.
  bool holds(unsigned set, Cycle now) const;

  /// Room signals, reduced by the packets waiting here.
  std::uint32_t room(Cycle now) const;
  /// Result of a departure: the parcel that waits for the packet's end, and the cycle of that end.
  struct Departure {
    int parcel = -1;
    Cycle left_at = never;
  };
  /// Sends the oldest packet that may leave in cycle `now`. Returns an empty departure if none does.
  Departure output(Cycle now) {
    return closed_ == 0 || now < sending_until_ ? Departure{} : send_oldest(now);
  }
  /// Requests a wake-up of the Sender when one of these FIFOs that has no room gets room.
  void want_room(Cycle now, std::uint32_t ports);
  /// Next cycle with possible work; requests wake-ups from the channel for events that cannot be predicted.
  /// Call it at the end of the Sender's cycle.
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
  std::vector<Entry> entries_;       ///< The first count_ entries are in use, oldest first.
  unsigned count_ = 0, closed_ = 0;  ///< Used entries; entries that are no longer being filled.
  Cycle sending_until_ = 0;
  std::uint8_t sending_set_ = 0;
  std::uint32_t watched_ = 0;
  Cycle room_due_ = never;
};

}  // namespace tsuji::nic
