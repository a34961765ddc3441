// SPDX-License-Identifier: Apache-2.0
#include "router/devices.h"

namespace tsuji::bench {

router::PinRouterConfig router_config(unsigned ports, unsigned vcs, unsigned buffer_flits,
                                      const char* routes) {
  router::PinRouterConfig config;
  config.ports = ports;
  config.vcs = vcs;
  config.buffer_flits = buffer_flits;
  if (routes != nullptr) config.routes = router::read_routes(std::string(TSUJI_ROUTES) + "/" + routes);
  return config;
}

}  // namespace tsuji::bench
