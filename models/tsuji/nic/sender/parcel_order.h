// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tsuji::nic {

/// Which parcel sends the next packet (rooms/nic.md, Where the paper is silent, 1). A parcel may pass an
/// older one that still has packets to send only if their port sets are disjoint; so what goes to one node
/// stays in order.
class ParcelOrder {
 public:
  static constexpr unsigned max_registers = 8;

  struct Candidate {
    bool waiting = false;   ///< has packets that are not yet in the FIFO
    std::uint64_t age = 0;  ///< order of arrival in the registers
    std::uint32_t port_bits = 0;
  };
  struct Choice {
    int index = -1;         ///< -1: none is eligible
    bool has_room = false;  ///< false: only to be read ahead
  };

  Candidate& operator[](unsigned index) { return candidates_[index]; }

  /// No older waiting parcel shares a port with it.
  bool may_go(unsigned index) const;
  /// The oldest that may go and has room at all its targets; failing that, the oldest that may go.
  Choice choose(std::uint32_t room) const;
  /// Port bits of all that may go: the room wires worth watching.
  std::uint32_t wanted_ports() const;

 private:
  std::array<Candidate, max_registers> candidates_{};
};

}  // namespace tsuji::nic
