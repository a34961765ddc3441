// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/congestion_kinds.h"

namespace tsuji::traffic {
namespace {

/// Back-pressure alone: a packet starts when the router has room.
struct NoControl {
  std::unique_ptr<CongestionControl> make(unsigned /*nodes*/) const { return nullptr; }
};

}  // namespace

void add_no_congestion_control(CongestionKinds& kinds) {
  kinds.add<NoControl>("none");
}

}  // namespace tsuji::traffic
