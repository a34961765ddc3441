// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/fast_vc_driver.h"

namespace tsuji::router {
namespace {

struct Counted {
  static constexpr bool counts = true;
};

}  // namespace

ArenaPtr<VcRouter> make_counting_driver(const VcRouterConfig& config, graph::RouterId id,
                                        const std::vector<RouterPort>& ports, const RouterParts& parts) {
  return make_fast_driver<Counted>(config, id, ports, parts);
}

}  // namespace tsuji::router
