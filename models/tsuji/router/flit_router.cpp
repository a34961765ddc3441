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

OutputState FlitRouter::output(unsigned p) const {
  const RouterPort& own = port(p);
  if (own.out == nullptr) return {0, own.to_node, false};
  return {own.out->vcs(), own.to_node, own.out->down()};
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

unsigned FlitRouter::queue(unsigned /*p*/, Cycle now) {
  lacks(*this, now, "show the queues of its outputs");
}

void lacks(const FlitRouter& router, Cycle now, const char* what) {
  throw ModelError("router " + std::to_string(router.id()), now, "",
                   std::string("routers of this kind cannot ") + what);
}

}  // namespace tsuji::router
