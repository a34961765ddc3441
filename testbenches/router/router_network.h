// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "network/network_rtl.h"
#include "tsuji/pins/pin_router.h"
#include "router/rtl_router.h"

namespace tsuji::bench {

/// RTL for the routers of a network.
struct RouterRtlRow {
  std::string name, what;
  MakeRouterRtl make;
  /// ConfigError for a network whose routers cannot be this RTL; may be empty.
  std::function<void(const session::NetworkRunConfig&)> check = {};
  /// The model that can run beside the RTL; null: there is none with its pins.
  std::shared_ptr<const router::PinRouterConfig> shadow = nullptr;
};

/// A row of rtl_network_main()'s table.
std::unique_ptr<NetworkRtl> network_rtl(RouterRtlRow row);

/// Keys of a network as YAML; `name` is the file in messages.
struct NetworkText {
  std::string yaml, name;
};

/// rtl_network_main() with one router of which nothing but its description is known, over a 4x4 mesh with its
/// virtual channels and buffers, or the network of `keys`.
int router_network_main(int argc, char** argv, RouterRtlRow row, const NetworkText& keys = {});

}  // namespace tsuji::bench
