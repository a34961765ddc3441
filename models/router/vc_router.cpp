#include "tsuji/router/vc_router.h"

#include "tsuji/router/vc/fast_vc_router.h"
#include "tsuji/router/vc/full_vc_router.h"

namespace tsuji::router {

ArenaPtr<VcRouter> make_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                  const std::vector<RouterPort>& ports, const RouterParts& parts) {
  if (FastVcRouter::suffices(config, ports))
    return make_in<FastVcRouter>(*parts.arena, config, id, ports, parts);
  return make_in<FullVcRouter>(*parts.arena, config, id, ports, parts);
}

RouterKind vc_router(const VcRouterConfig& config) {
  RouterKind kind;
  kind.name = "virtual-channel router";
  kind.purges = kind.routes_again = kind.tells_stages = kind.shows_credits = true;
  // A hit leaves without switch allocation.
  kind.departs_after_cycles = config.prediction.on() ? config.st_cycles : config.depart_after();
  kind.make = [&config](graph::RouterId id, const std::vector<RouterPort>& ports, const RouterParts& parts) {
    return make_vc_router(config, id, ports, parts);
  };
  return kind;
}

}  // namespace tsuji::router
