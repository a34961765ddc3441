// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/packet_switch.h"

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

void PacketSwitch::set_sync_probe(SyncProbe* /*probe*/) {
  throw ModelError("switch", "switches of this kind do not report their synchronizations");
}

}  // namespace tsuji::crosspoint
