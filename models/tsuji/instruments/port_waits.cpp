// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/port_waits.h"

namespace tsuji::instruments {

router::CountingRouter& PortWaits::counting(graph::RouterId id) const {
  router::FlitRouter& router = network_.router(id);
  return router::needed(router, router.counting(), settled_to_, "count the states of their ports");
}

void PortWaits::settle(Cycle end) {
  settled_to_ = end;
  flits_held_ = 0;
  router::InputWaits::Sum sum;
  for (graph::RouterId id = 0; id < network_.routers(); ++id) flits_held_ += counting(id).add_waits(end, sum);
  sums_ = sum.by_state();
}

void PortWaits::for_each(
    const std::function<void(const graph::PortRef&, unsigned, const Cycles&)>& visit) const {
  for (graph::RouterId id = 0; id < network_.routers(); ++id) {
    const router::CountingRouter& waits = counting(id);
    const router::FlitRouter& router = network_.router(id);
    for (unsigned port = 0; port < router.ports(); ++port)
      for (unsigned vc = 0; vc < router.vcs(port); ++vc)
        visit({id, port}, vc, waits.waits(port, vc, settled_to_));
  }
}

}  // namespace tsuji::instruments
