// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/vc/fast_vc_router.h"

namespace tsuji::router {

/// The fast driver of routers with times of their own: heads that wait too long or make too many hops,
/// outputs that pause when their virtual channel changes, a look-up that the router runs.
class FastTimedRouter final : public FastVcRouter {
 public:
  /// A router that the fast driver suffices for needs this one.
  static bool is_needed(const VcRouterConfig& config, const RouterParts& parts);

  using FastVcRouter::FastVcRouter;

  Cycle advance(Cycle now) override;
  void step(Cycle now) override;

 private:
  friend class VcRouter;      // visit()
  friend class FastVcRouter;  // the cycle

  bool begin(InputVc& vc, const FlitSlot& front, Cycle now);
  void begin_cycle(Cycle now) { begin_times(now); }
  void watch(const InputVc& vc, Packet& packet, Cycle now) { VcRouter::watch(vc, packet, now); }
  std::uint64_t asking(Cycle now) const;
  void won(const InputVc& vc, Cycle now);
  void took_output(const InputVc& vc, Cycle now) const {
    if (recovers_) check_recovery(vc, now);
  }
  void end_cycle(Cycle now) { end_times(now); }
};

}  // namespace tsuji::router
