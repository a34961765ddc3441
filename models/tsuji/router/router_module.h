// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/flit_link.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::router {

/// SystemC module around a router of any kind: its ports and its clock. A port has an input, an output or
/// both; a port without a link is not bound.
class RouterModule final : public sc_core::sc_module, public Clocked, public Described {
 public:
  /// The router's stands_for(), or the name of its kind.
  std::string stands_for() const override {
    const std::string own = router_->stands_for();
    return own.empty() ? kind_.name : own;
  }
  void add_parts(PartList& parts) const override { router_->add_parts(parts); }

  /// The links of all ports, bound by bind_port(): a single sc_port instead of one per port.
  sc_core::sc_port<FlitEndIf, 0, sc_core::SC_ZERO_OR_MORE_BOUND> links;

  /// Kind of component at the other end of a port.
  enum class Far : std::uint8_t { nothing, router, node };

  /// `kind` outlives the module.
  RouterModule(sc_core::sc_module_name name, ClockDomain& domain, const RouterKind& kind, graph::RouterId id,
               std::vector<Far> ports, const RouterParts& parts);

  void bind_port(unsigned p, FlitEndIf& end) {
    plan_->bound.push_back(static_cast<std::uint16_t>(p));
    links.bind(end);
  }

  /// Only for the interface: the clock calls the router's step() directly (Clocked::hand_steps_to).
  void step(Cycle now) override { router_->step(now); }
  /// The router exists after elaboration.
  FlitRouter& router() { return *router_; }
  const FlitRouter& router() const { return *router_; }
  /// Sets the probe, between two cycles; null: none. A router has one probe; a second one calls the one
  /// before it. ModelError if the kind reports no stages.
  void set_probe(RouterProbe* probe);
  RouterProbe* probe() const { return probe_; }

 private:
  /// Arguments of the constructor, kept until the end of elaboration.
  struct Plan {
    graph::RouterId id;
    RouterParts parts;
    std::vector<Far> far;
    std::vector<std::uint16_t> bound;  ///< the port number of each binding of `links`, in order
  };
  void end_of_elaboration() override;

  const RouterKind& kind_;
  std::unique_ptr<Plan> plan_;
  ArenaPtr<FlitRouter> router_;
  RouterProbe* probe_ = nullptr;
};

}  // namespace tsuji::router
