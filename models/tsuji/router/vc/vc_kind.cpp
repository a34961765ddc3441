// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/router/router_kinds.h"
#include "tsuji/router/vc/fast_vc_router.h"
#include "tsuji/router/vc/full_vc_router.h"
#include "tsuji/router/vc/packet_vc_router.h"

namespace tsuji::router {

ArenaPtr<VcRouter> make_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                  const std::vector<RouterPort>& ports, const RouterParts& parts) {
  if (auto packets = make_packet_vc_router(config, id, ports, parts)) return packets;
  for (const RouterPort& port : ports) {
    if ((port.in != nullptr && port.in->whole_packets()) ||
        (port.out != nullptr && port.out->whole_packets()))
      throw ModelError("router " + std::to_string(id),
                       "its channels pass whole packets, and it passes flits");
  }
  if (auto fast = make_fast_vc_router(config, id, ports, parts)) return fast;
  return make_in<FullVcRouter>(*parts.arena, config, id, ports, parts);
}

namespace {

struct VcKind {
  RouterKind make(const VcRouterConfig& config) const;
};

RouterKind VcKind::make(const VcRouterConfig& config) const {
  RouterKind kind;
  kind.name = "virtual-channel router";
  kind.purges = kind.routes_again = kind.tells_stages = kind.counts_waits = kind.shows_credits =
      kind.recovers = kind.suspends = kind.marks = kind.shows_queues = true;
  const PredictionConfig& prediction = config.prediction;
  // A hit departs without switch allocation.
  kind.departs_after_cycles =
      prediction.on() ? config.depart_after() - config.predicted_lead_cycles() : config.depart_after();
  if (prediction.passes_words()) kind.acts_early_cycles = 1;
  // A purge would miss flits that have crossed and are still in the buffer.
  if (prediction.leaks()) {
    kind.name = "router whose wrong flits leak (prediction.check)";
    kind.purges = kind.routes_again = false;
  }
  kind.make = [&config](graph::RouterId id, const std::vector<RouterPort>& ports, const RouterParts& parts) {
    return make_vc_router(config, id, ports, parts);
  };
  return kind;
}

}  // namespace

void add_vc_kind(RouterKinds& kinds) {
  kinds.add<VcKind>("vc", {{RouterTraits::every_key}});
}

}  // namespace tsuji::router
