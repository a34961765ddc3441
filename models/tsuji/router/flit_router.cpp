// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/flit_router.h"

#include "tsuji/core/error.h"

namespace tsuji::router {

PredictionCounters& PredictionCounters::operator+=(const PredictionCounters& other) {
  for (std::size_t outcome = 0; outcome < visits.size(); ++outcome) visits[outcome] += other.visits[outcome];
  kept_flits += other.kept_flits;
  leaked_flits += other.leaked_flits;
  saved_cycles += other.saved_cycles;
  return *this;
}

VcView FlitRouter::view(unsigned p, unsigned vc) const {
  const FlitSlot& front = port(p).in->ring(vc).front();
  VcView view;
  view.has_flit = front.holds_flit();
  if (view.has_flit) {
    view.packet = front.packet();
    view.blocked_since = front.cycle();
  }
  return view;
}

void FlitRouter::set_probe(RouterProbe* probe) {
  if (probe != nullptr) refuse(0, "tell the stages of heads");
}

PurgedPart FlitRouter::purge(PacketIndex /*packet*/, unsigned /*port*/, unsigned /*vc*/, Cycle now) {
  refuse(now, "purge a packet");
}

void FlitRouter::visit_holders(unsigned /*port*/,
                               const std::function<void(const OutputHolder&)>& /*visit*/) const {
  refuse(0, "say which packets hold an output");
}

void FlitRouter::route_again(unsigned /*port*/, unsigned /*vc*/, Cycle now) {
  refuse(now, "route a head again");
}

void FlitRouter::route_all_again(Cycle now) {
  refuse(now, "route heads again");
}

void FlitRouter::exchange_routing(const routing::RoutingView& /*view*/, Cycle now) {
  refuse(now, "read another routing");
}

void FlitRouter::suspend(bool /*suspended*/, Cycle now) {
  refuse(now, "have its heads stand");
}

void FlitRouter::visit_timeouts(Cycle now,
                                const std::function<void(unsigned port, unsigned vc)>& /*visit*/) const {
  refuse(now, "take heads into recovery");
}

void FlitRouter::refuse(Cycle now, const std::string& what) const {
  throw ModelError("router " + std::to_string(id()), now, "", "routers of this kind cannot " + what);
}

}  // namespace tsuji::router
