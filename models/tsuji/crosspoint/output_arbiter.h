// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tsuji/crosspoint/config.h"

namespace tsuji::crosspoint {

/// Arbiter of one output. Requesters are the N crosspoint FIFO heads of the output and, as requester N, its
/// owed synchronization packets. Round robin among those whose target FIFOs have room. The target FIFOs of a
/// multicast head that was passed over `reserve_after` times are reserved: no other requester may fill them
/// until the multicast has been served, so single casts cannot starve it (rooms/crosspoint.md, Where the
/// paper is silent, 3).
class OutputArbiter {
 public:
  std::string stands_for() const { return "round robin at each output, with a multicast's reservation"; }
  struct Requests {
    std::uint32_t asking = 0;     ///< bit r: requester r has passed its pipeline and requests the output
    std::uint32_t multicast = 0;  ///< bit r: requester r is a multicast head
    std::array<std::uint32_t, max_ports + 1>
        targets;  ///< [requester]: FIFOs of the next switch that it needs
  };
  static constexpr int none = -1;

  OutputArbiter() = default;
  OutputArbiter(unsigned requesters, unsigned reserve_after)
      : requesters_(requesters), reserve_after_(reserve_after) {}

  /// FIFOs of the next switch that are reserved for a multicast head among `requests`.
  std::uint32_t reserved(const Requests& requests) const {
    return reserved_for_ == none ? 0 : requests.targets[static_cast<unsigned>(reserved_for_)];
  }
  /// The requester to serve now, or `none`. `room`: the room signals. No side effects.
  int choose(const Requests& requests, std::uint32_t room) const;
  /// Requester `served` is served: advances the round robin, and counts requesters that were passed over.
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
