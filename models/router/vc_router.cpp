#include "tsuji/router/vc_router.h"

#include "tsuji/router/vc_router_state.h"

namespace tsuji::router {

RouterKind vc_router(const VcRouterConfig& config) {
  RouterKind kind;
  kind.name = "virtual-channel router";
  kind.purges = kind.routes_again = kind.tells_stages = true;
  kind.departs_after_cycles = config.depart_after();
  kind.make = [&config](graph::RouterId id, const std::vector<RouterPort>& ports, const RouterParts& parts) {
    return make_in<VcRouterState>(*parts.arena, config, id, ports, parts);
  };
  return kind;
}

}  // namespace tsuji::router
