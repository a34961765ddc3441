#pragma once

#include "tsuji/router/vc/line_switch_allocator.h"
#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {

/// The driver of routers without rare features, whose input virtual channels are lines of one word. A flit
/// behind its head is not looked at before it leaves: the virtual channel asks for its output as long as it
/// holds it, and the request counts in the cycles in which a flit is at hand and has a credit. Those are
/// known when the flit before it leaves, or from the row in which its arrival was announced.
class FastVcRouter final : public VcRouter {
 public:
  /// The question that decides between the drivers: neither the configuration nor a port asks for more than
  /// this one does.
  static bool suffices(const VcRouterConfig& config, const std::vector<RouterPort>& ports);

  FastVcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
               const RouterParts& parts);

  Cycle advance(Cycle now) override;
  void step(Cycle now) override;

 private:
  friend class VcRouter;  // visit()

  Cycle run_cycle(Cycle now);
  void take_arrivals(Cycle now);
  void look_behind(const InputVc& /*vc*/, Cycle /*now*/) {}
  bool begin(InputVc& vc, const FlitSlot& front, Cycle now);
  bool await_switch(InputVc& vc, Cycle now);
  void pass_flits(Cycle now);
  void take_outputs(Cycle now);
  void drop_requests(InputVc& vc) override;
  std::uint64_t lines_to_serve() const override { return ready_; }

  /// Lines with an output, a credit and a flit.
  std::uint64_t ready_ = 0;
  /// Lines with an output and a credit, to which a flit comes in a cycle that is announced.
  std::uint64_t awaits_flit_ = 0;
  LineSwitchAllocator switch_;
};

}  // namespace tsuji::router
