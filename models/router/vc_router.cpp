#include "router/vc_router.h"

namespace tsuji::router {

VcRouter::VcRouter(sc_core::sc_module_name module_name, ClockDomain& domain, const VcRouterConfig& config,
                   graph::RouterId id, std::vector<Far> ports, const VcRouterState::Parts& parts)
    : sc_module(module_name),
      Clocked(domain),
      config_(config),
      id_(id),
      parts_(parts),
      far_(std::move(ports)),
      ports_(far_.size()) {
  for (std::size_t p = 0; p < far_.size(); ++p) {
    if (far_[p] == Far::nothing) continue;
    ports_[p] = std::make_unique<sc_core::sc_port<FlitEndIf>>(("port" + std::to_string(p)).c_str());
  }
}

// The kernel looks a port up from the end of its list when it goes: the last one first.
VcRouter::~VcRouter() {
  while (!ports_.empty()) ports_.pop_back();
}

void VcRouter::end_of_elaboration() {
  std::vector<RouterPort> ports(ports_.size());
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (!ports_[p]) continue;
    FlitEndIf& end = *ports_[p]->operator->();
    ports[p] = {end.in(), end.out(), far_[p] == Far::node};
  }
  state_ = std::make_unique<VcRouterState>(config_, id_, std::move(ports), parts_);
  state_->bind(this);
}

void VcRouter::step(Cycle now) {
  const Cycle next = state_->step(now);
  if (next != never) wake_at(next);
}

}  // namespace tsuji::router
