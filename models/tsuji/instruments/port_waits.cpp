// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/port_waits.h"

#include <algorithm>
#include <vector>

namespace tsuji::instruments {

router::CountingRouter& PortWaits::counting(graph::RouterId id) const {
  router::FlitRouter& router = network_.router(id);
  return router::needed(router, router.counting(), settled_to_, "count the states of their ports");
}

void PortWaits::settle(Cycle end) {
  settled_to_ = end;
  flits_held_ = 0;
  router::InputWaits::Sum sum;
  for (graph::RouterId id = 0; id < network_.routers(); ++id)
    if (is_here(id)) flits_held_ += counting(id).add_waits(end, sum);
  sums_ = sum.by_state();
  if (share_.ranks == nullptr) return;
  std::vector<std::uint64_t> all(sums_.begin(), sums_.end());
  all.push_back(flits_held_);
  all = share_.ranks->sum_each(all);
  flits_held_ = all.back();
  std::copy_n(all.begin(), sums_.size(), sums_.begin());
}

template <class Visit>
void PortWaits::for_each_vc(const Visit& visit) const {
  for (graph::RouterId id = 0; id < network_.routers(); ++id) {
    const router::FlitRouter& router = network_.router(id);
    for (unsigned port = 0; port < router.ports(); ++port)
      for (unsigned vc = 0; vc < router.vcs(port); ++vc) visit({id, port}, vc);
  }
}

void PortWaits::for_each(
    const std::function<void(const graph::PortRef&, unsigned, const Cycles&)>& visit) const {
  // [router][port][virtual channel][state]
  std::vector<std::uint64_t> all;
  for_each_vc([&](const graph::PortRef& port, unsigned vc) {
    const Cycles cycles =
        is_here(port.router) ? counting(port.router).waits(port.port, vc, settled_to_) : Cycles{};
    all.insert(all.end(), cycles.begin(), cycles.end());
  });
  if (share_.ranks != nullptr) all = share_.ranks->sum_each(all);
  auto at = all.cbegin();
  for_each_vc([&](const graph::PortRef& port, unsigned vc) {
    Cycles cycles;
    for (std::uint64_t& of_state : cycles) of_state = *at++;
    visit(port, vc, cycles);
  });
}

}  // namespace tsuji::instruments
