#include "router/vc_router.h"

#include <string>

#include "core/error.h"

namespace tsuji::router {

VcRouter::VcRouter(sc_core::sc_module_name module_name, ClockDomain& domain, const VcRouterConfig& config,
                   graph::RouterId id, std::vector<Far> ports, const VcRouterState::Parts& parts)
    : sc_module(module_name),
      Clocked(domain),
      links("links"),
      config_(config),
      id_(id),
      parts_(parts),
      far_(std::move(ports)) {
  if (parts.arena == nullptr) throw ModelError(name(), "a router needs an arena");
  bound_.reserve(far_.size());
}

void VcRouter::end_of_elaboration() {
  std::vector<RouterPort> ports(far_.size());
  for (std::size_t b = 0; b < bound_.size(); ++b) {
    FlitEndIf& end = *links[static_cast<int>(b)];
    RouterPort& port = ports.at(bound_[b]);
    if (port.in != nullptr || port.out != nullptr || far_[bound_[b]] == Far::nothing)
      throw ModelError(name(), "port " + std::to_string(bound_[b]) + " is bound twice or leads nowhere");
    port = {end.in(), end.out(), far_[bound_[b]] == Far::node};
  }
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (far_[p] != Far::nothing && ports[p].in == nullptr && ports[p].out == nullptr)
      throw ModelError(name(), "port " + std::to_string(p) + " is not bound");
  }
  state_ = make_in<VcRouterState>(*parts_.arena, config_, id_, ports, parts_);
  state_->bind(waker());
  state_->set_probe(probe_);
  hand_steps_to(*state_);
  // What only elaboration needed.
  std::vector<Far>().swap(far_);
  std::vector<std::uint16_t>().swap(bound_);
}

}  // namespace tsuji::router
