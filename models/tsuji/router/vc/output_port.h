// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/link/flit_channel.h"
#include "tsuji/routing/routing.h"

namespace tsuji::router {

/// An output port, and the place of the port's input virtual channels: the state that every flit of the port
/// needs, in one line of the processor's cache.
struct alignas(64) OutputPort {
  FlitSender sender;
  routing::VcMask free_vcs = 0;  ///< held by no packet
  routing::VcMask all_vcs = 0;   ///< 0: the port has no output
  std::uint16_t first_in = 0;    ///< line of the port's input virtual channel 0
  std::uint8_t in_vcs = 0;
  bool to_node = false;

  /// As a part of its router, for all of them.
  static std::string stands_for() {
    return "output ports: free virtual channels, credits, the sender to the link";
  }

  void take(unsigned vc) { free_vcs = static_cast<routing::VcMask>(free_vcs & ~(1U << vc)); }
  void release(unsigned vc) { free_vcs = static_cast<routing::VcMask>(free_vcs | 1U << vc); }
};
static_assert(sizeof(OutputPort) == 64);

}  // namespace tsuji::router
