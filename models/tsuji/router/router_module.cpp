// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/router_module.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::router {

RouterModule::RouterModule(sc_core::sc_module_name module_name, ClockDomain& domain, const RouterKind& kind,
                           graph::RouterId id, std::vector<Far> ports, const RouterParts& parts)
    : sc_module(module_name),
      Clocked(domain),
      links("links"),
      kind_(kind),
      plan_(std::make_unique<Plan>(Plan{id, parts, std::move(ports), {}})) {
  if (parts.arena == nullptr) throw ModelError(name(), "a router needs an arena");
}

void RouterModule::set_probe(RouterProbe* probe) {
  if (probe != nullptr && !kind_.tells_stages)
    throw ModelError(name(), std::string("a ") + kind_.name + " does not report the stages of heads");
  probe_ = probe;
  if (router_ != nullptr)
    needed(*router_, router_->telling(), 0, "report the stages of heads").set_probe(probe);
}

void RouterModule::end_of_elaboration() {
  const std::vector<Far>& far = plan_->far;
  const std::vector<std::uint16_t>& bound = plan_->bound;
  std::vector<RouterPort> ports(far.size());
  for (std::size_t b = 0; b < bound.size(); ++b) {
    FlitEndIf& end = *links[static_cast<int>(b)];
    RouterPort& port = ports.at(bound[b]);
    if (port.in != nullptr || port.out != nullptr || far[bound[b]] == Far::nothing)
      throw ModelError(name(), "port " + std::to_string(bound[b]) + " is bound twice or has no receiver");
    port = {end.in(), end.out(), far[bound[b]] == Far::node};
  }
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (far[p] != Far::nothing && ports[p].in == nullptr && ports[p].out == nullptr)
      throw ModelError(name(), "port " + std::to_string(p) + " is not bound");
  }
  router_ = kind_.make(plan_->id, ports, plan_->parts);
  router_->bind(waker());
  if (probe_ != nullptr)
    needed(*router_, router_->telling(), 0, "report the stages of heads").set_probe(probe_);
  hand_steps_to(*router_);
  plan_.reset();
}

}  // namespace tsuji::router
