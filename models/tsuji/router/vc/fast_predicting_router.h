// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/vc/fast_vc_router.h"

namespace tsuji::router {

/// The fast driver with prediction. A line whose head has hit keeps its output as long as nobody asks for it:
/// it does not ask for the switch, and its flits cross in the cycles in which they are ready.
class FastPredictingRouter : public FastVcRouter {
 public:
  using FastVcRouter::FastVcRouter;

  Cycle advance(Cycle now) override;
  void step(Cycle now) override;

 protected:
  friend class VcRouter;      // visit()
  friend class FastVcRouter;  // the cycle

  bool begin(InputVc& vc, const FlitSlot& front, Cycle now);
  void begin_cycle(Cycle now) { prediction_->begin(now); }
  bool await_route(InputVc& vc, Cycle now);
  bool tries(const InputVc& vc, const Packet& packet, const routing::RouteSet& routes, Cycle now);
  void settle(Cycle now);
  std::uint64_t asking(Cycle /*now*/) const { return ready_ & ~kept_; }
  void won(const InputVc& vc, Cycle now) { prediction_->cross(vc, now); }
  void give_up_output(const InputVc& vc);
  void drop_requests(InputVc& vc) override;

 private:
  void ask(Cycle now);
  void hold_back(std::uint64_t lost, Cycle now);
  std::uint64_t lost_lines(Cycle now);
  void go_by_switch(std::uint64_t lines);
  void cross_kept(Cycle now);
  void cross_head(const Prediction::Try& one, Cycle now);
  template <class Holds>
  std::uint64_t lines_where(std::uint64_t lines, const Holds& holds) const {
    std::uint64_t found = 0;
    for (; lines != 0; lines &= lines - 1) {
      if (holds(vcs_[static_cast<unsigned>(__builtin_ctzll(lines))])) found |= lines & (~lines + 1);
    }
    return found;
  }

  /// Lines whose packet has its output by prediction; the switch allocator does not know of them.
  std::uint64_t kept_ = 0;
};

/// The same with what FastTimedRouter has but for outputs that pause.
class FastTimedPredictingRouter final : public FastPredictingRouter {
 public:
  using FastPredictingRouter::FastPredictingRouter;

  Cycle advance(Cycle now) override;
  void step(Cycle now) override;

 private:
  friend class VcRouter;      // visit()
  friend class FastVcRouter;  // the cycle

  bool begin(InputVc& vc, const FlitSlot& front, Cycle now);
  void begin_cycle(Cycle now) {
    begin_times(now);
    prediction_->begin(now);
  }
  void watch(const InputVc& vc, Packet& packet, Cycle now) { VcRouter::watch(vc, packet, now); }
  void took_output(const InputVc& vc, Cycle now) const {
    if (recovers_) check_recovery(vc, now);
  }
  void end_cycle(Cycle now) { end_times(now); }
};

}  // namespace tsuji::router
