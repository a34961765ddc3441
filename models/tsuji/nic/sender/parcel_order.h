// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tsuji::nic {

/// Selects the parcel that sends the next packet (rooms/nic.md, Where the paper is silent, 1). A parcel may
/// pass an older one that still has packets to send only if their port sets are disjoint, so that packets to
/// one node stay in order.
class ParcelOrder {
 public:
  static constexpr unsigned max_registers = 8;

  /// State of a header register for the selection.
  struct Candidate {
    bool waiting = false;         ///< The parcel has packets that are not in a buffer yet.
    std::uint64_t age = 0;        ///< Order of arrival in the header registers.
    std::uint32_t port_bits = 0;  ///< Ports of the first switch, one bit each.
  };
  /// Result of the selection.
  struct Choice {
    int index = -1;         ///< Header register; -1: no parcel is eligible.
    bool has_room = false;  ///< False: the packet can only be read ahead.
  };

  /// Candidate of a header register.
  Candidate& operator[](unsigned index) { return candidates_[index]; }

  /// True if no older waiting parcel shares a port with the parcel.
  bool may_go(unsigned index) const;
  /// The oldest eligible parcel with room at all its destinations; if there is none, the oldest eligible one.
  Choice choose(std::uint32_t room) const;
  /// Port bits of all eligible parcels, whose room signals must be watched.
  std::uint32_t wanted_ports() const;

 private:
  std::array<Candidate, max_registers> candidates_{};
};

}  // namespace tsuji::nic
