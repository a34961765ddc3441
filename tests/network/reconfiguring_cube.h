// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "network/vc_rig.h"

namespace tsuji::network::test {

/// A torus whose routers reconfigure it at the given events.
inline NetworkConfig cube(const std::vector<unsigned>& radices, const std::string& events) {
  NetworkConfig config;
  config.topology.kind = "torus";
  config.topology.of<graph::CubeConfig>().radices = radices;
  config.routing.kind = "detour_ud";
  config.network.vcs = 2;
  config.network.buffer_flits = 8;
  config.network.router.block_timeout_cycles = 32;
  config.watchdog_cycles = 5000;
  config.dead.events = events;
  return config;
}

/// Sets the fate of messages in recovery at an update.
inline void lose(Losses losses, NetworkConfig& config) {
  config.dead.losses = losses;
  const unsigned ud_vcs = losses == Losses::nothing ? 2 : 1;
  config.routing.of<routing::DetourUdConfig>().ud_vcs = ud_vcs;
  config.network.vcs = 1 + ud_vcs;
}

}  // namespace tsuji::network::test
