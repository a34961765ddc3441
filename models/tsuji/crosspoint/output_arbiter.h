// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tsuji/crosspoint/config.h"

namespace tsuji::crosspoint {

/// Chooses, for one output, which requester goes next: the N crosspoint FIFO heads of that output, and as
/// requester N the pending synchronizations. Round robin among those whose target FIFOs have room. A
/// multicast head that was passed over `reserve_after` times while it asked has its target FIFOs reserved: no
/// other requester may fill them until it went, so that single casts cannot starve it (rooms/crosspoint.md,
/// Where the paper is silent, 3).
class OutputArbiter {
 public:
  std::string stands_for() const { return "round robin at each output, with a multicast's reservation"; }
  struct Requests {
    std::uint32_t asking = 0;     ///< bit r: requester r is through its pipeline and waits
    std::uint32_t multicast = 0;  ///< which of them are multicast heads
    std::array<std::uint32_t, max_ports + 1>
        targets;  ///< FIFOs of the next switch that each asking one needs
  };
  static constexpr int none = -1;

  OutputArbiter() = default;
  OutputArbiter(unsigned requesters, unsigned reserve_after)
      : requesters_(requesters), reserve_after_(reserve_after) {}

  /// FIFOs of the next switch that are reserved for a multicast head, one of `requests`.
  std::uint32_t reserved(const Requests& requests) const {
    return reserved_for_ == none ? 0 : requests.targets[static_cast<unsigned>(reserved_for_)];
  }
  /// The requester to serve now, or none; `room` are the room wires. Changes nothing.
  int choose(const Requests& requests, std::uint32_t room) const;
  /// Requester `served` goes: moves the round robin on and counts who was passed over.
  void served(const Requests& requests, int served);

 private:
  std::uint32_t ready(const Requests& requests, std::uint32_t room) const;

  unsigned requesters_ = 5;
  unsigned reserve_after_ = 4;
  unsigned next_ = 0;
  int reserved_for_ = none;
  std::array<std::uint8_t, max_ports + 1> passed_over_{};
};

}  // namespace tsuji::crosspoint
