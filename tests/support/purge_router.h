// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/flit_router.h"

namespace tsuji::test {

/// Removes a packet from all places in a router. Returns true if any part of it was there.
inline bool purge_router(router::FlitRouter& router, PacketIndex packet, Cycle now) {
  bool found = false;
  for (unsigned port = 0; port < router.ports(); ++port) {
    for (unsigned vc = 0; vc < router.vcs(port); ++vc)
      found |= router.purging()->purge(packet, port, vc, now).found;
  }
  return found;
}

}  // namespace tsuji::test
