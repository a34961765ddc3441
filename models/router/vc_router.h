#pragma once

#include <memory>
#include <string>
#include <systemc>

#include "link/clock_domain.h"
#include "link/flit_link.h"
#include "router/vc_router_state.h"

namespace tsuji::router {

/// Input-buffered virtual-channel router: the ports and the time around VcRouterState. One port a direction
/// pair; a port that leads nowhere does not exist.
class VcRouter final : public sc_core::sc_module, public Clocked {
 public:
  /// What is at the far end of a port.
  enum class Far : std::uint8_t { nothing, router, node };

  VcRouter(sc_core::sc_module_name name, ClockDomain& domain, const VcRouterConfig& config,
           graph::RouterId id, std::vector<Far> ports, const VcRouterState::Parts& parts);
  ~VcRouter() override;

  void bind_port(unsigned p, FlitEndIf& end) { ports_[p]->bind(end); }

  void step(Cycle now) override;
  VcRouterState& state() { return *state_; }
  const VcRouterState& state() const { return *state_; }

 private:
  void end_of_elaboration() override;

  const VcRouterConfig& config_;
  const graph::RouterId id_;
  const VcRouterState::Parts parts_;
  const std::vector<Far> far_;
  std::vector<std::unique_ptr<sc_core::sc_port<FlitEndIf>>> ports_;
  std::unique_ptr<VcRouterState> state_;
};

}  // namespace tsuji::router
