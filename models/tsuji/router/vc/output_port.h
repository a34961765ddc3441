// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/link/flit_channel.h"
#include "tsuji/routing/routing.h"

namespace tsuji::router {

/// State of an output port that every flit needs, and the location of the port's input virtual channels.
/// Size: one cache line.
struct alignas(64) OutputPort {
  FlitSender sender;
  routing::VcMask free_vcs = 0;  ///< not held by a packet
  routing::VcMask all_vcs = 0;   ///< 0: the port has no output
  std::uint16_t first_in = 0;    ///< index of the port's first input virtual channel
  std::uint8_t in_vcs = 0;
  bool to_node : 1;
  bool any_vc : 1;  ///< a packet may take any virtual channel, whatever its candidate

  OutputPort() : to_node(false), any_vc(false) {}

  /// Describes all output ports of the router, which are one entry in the list of parts.
  static std::string stands_for() {
    return "output ports: free virtual channels, credits, the sender to the link";
  }

  void take(unsigned vc) { free_vcs = static_cast<routing::VcMask>(free_vcs & ~(1U << vc)); }
  void release(unsigned vc) { free_vcs = static_cast<routing::VcMask>(free_vcs | 1U << vc); }
};
static_assert(sizeof(OutputPort) == 64);

}  // namespace tsuji::router
