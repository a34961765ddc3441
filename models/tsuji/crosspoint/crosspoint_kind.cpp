// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/crosspoint_switch.h"
#include "tsuji/crosspoint/switch_kinds.h"

namespace tsuji::crosspoint {
namespace {

struct CrosspointKind {
  SwitchKind make(const CrosspointConfig& config) const { return crosspoint_switch(config); }
};

}  // namespace

void add_crosspoint_kind(SwitchKinds& kinds) {
  kinds.add<CrosspointKind>("crosspoint");
}

}  // namespace tsuji::crosspoint
