// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tsuji/router/vc/bitmask_switch_allocator.h"
#include "tsuji/router/vc/fast_vc_router.h"

namespace tsuji::router {

inline const routing::RouteSet no_routes{};

/// Driver for routers without rare features, with all input virtual channels in one 64-bit word. A body flit
/// is not examined before it leaves: an input VC requests the output that it holds in every cycle in which it
/// has a flit and a credit. These cycles are known when the flit before leaves, or from the row in which its
/// arrival was announced.
///
/// timed: adds timeouts, the hop limit, outputs that pause when their virtual channel changes, and a look-up
/// that the router runs. predicts: adds prediction. The input VC of a head that hit keeps its output until
/// the output is requested. It does not request the switch; its flits cross in the cycles in which they are
/// ready. The full driver alone counts waiting flits for a routing that reads them.
///
/// Counting: a type of the source file, so that each compiles separate classes; `counts`: it counts the
/// states of input VCs (InputWaits).
///
/// The functions are in the order in which a head passes through them.
template <bool timed, bool predicts, class Counting>
class FastVcRouter final : public VcRouter {
 public:
  FastVcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
               const RouterParts& parts)
      : VcRouter(config, id, ports, parts, false),
        switch_(*parts.arena, vcs_of_inputs(ports), static_cast<unsigned>(ports.size())) {
    if constexpr (Counting::counts) driver_counts();
  }

  Cycle advance(Cycle now) override { return run_cycle(now); }
  void step(Cycle now) override { alarm_.set(now, run_cycle(now)); }
  // Defined elsewhere, since the compiler inlines less of the stages if there is more code here.
  void add_switch_allocator(PartList& parts) const override { add_part(parts, switch_); }

 private:
  [[gnu::always_inline]] Cycle run_cycle(Cycle now) {
    next_ = never;
    if constexpr (timed) begin_times(now);
    if constexpr (predicts) prediction_->begin(now);
    take_arrivals(now);  // RC, and requests for VA
    if constexpr (predicts) settle_tries(now);
    if (const std::uint64_t asking = requesting_vcs(now); asking != 0)
      allocate_switch(asking, now);             // SA, ST
    if (va_.any_requests()) allocate_vcs(now);  // VA
    if (ready_ != 0) set_next(now + 1);
    if constexpr (timed) end_times(now);
    return next_;
  }

  /// Expected flits make their inputs ready; all other inputs with events are examined.
  [[gnu::always_inline]] void take_arrivals(Cycle now) {
    ArrivalCalendar::Column column = calendar_.column(0);
    const std::uint64_t announced = column.take_row(now);
    const std::uint64_t arrived = announced & awaits_flit_;
    awaits_flit_ ^= arrived;
    ready_ |= arrived;
    std::uint64_t& busy = column.busy();
    busy |= announced;
    if ((busy & parked_bit_) != 0) {
      busy &= ~parked_bit_;
      unpark();
    }
    // The next flit of a ready input is examined when the one before it leaves.
    std::uint64_t done = ready_;
    for (std::uint64_t rest = busy & ~done; rest != 0; rest &= rest - 1) {
      if (!visit(vcs_[lowest(rest)], now)) done |= rest & (~rest + 1);
    }
    busy &= ~done;
  }

  /// Runs the pipeline stage of the packet at the front.
  [[gnu::always_inline]] bool visit(InputVc& vc, Cycle now) {
    const FlitSlot& front = vc.front();
    const Front found = look_at_front(vc, front, now);
    if (found != Front::here) return found == Front::awaited;
    // request_vc() is called in one place only, so that the compiler inlines it.
    bool routed = true;
    if (vc.state == VcState::idle) {
      if (compute_route(vc, front, now)) return true;
      routed = ends_routing(vc, now);
    } else if (vc.state == VcState::routing) {
      if constexpr (predicts) learn_late_route(vc, now);
      routed = ends_routing(vc, now);
    } else if (vc.state == VcState::active) {
      return await_switch(vc, now);
    }
    if (routed) return request_vc(vc, now);
    return vc.ready != never;  // otherwise the answer sets the bit
  }

  /// RC: the head requests its route. Returns true if it may cross in this cycle by prediction, without the
  /// route.
  [[gnu::always_inline]] bool compute_route(InputVc& vc, const FlitSlot& front, Cycle now) {
    if (!front.head()) out_of_order(now, vc, front);
    start_route_computation(vc, front, now);
    if constexpr (Counting::counts) waits_[vc.number].begin(front.cycle(), now);
    Packet& packet = pool_.at(vc.packet);
    if constexpr (timed) watch(vc, packet, now);
    routing::RouteSet routes;
    vc.ready = routes_.ask(vc.route_input(), packet, routes, now);
    if (vc.ready != never) va_.keep(vc, routes);
    bool tries = false;
    if constexpr (predicts) tries = predict(vc, packet, routes, now);
    ++packet.hops;  // here, where the packet is in the cache; forget() decrements it again
    return tries;
  }

  /// RC: has_route(), counted.
  [[gnu::always_inline]] bool ends_routing(InputVc& vc, Cycle now) {
    const bool routed = has_route(vc, now);
    if constexpr (Counting::counts) {
      if (routed) waits_[vc.number].routed(now, waits_as(vc));
    }
    return routed;
  }

  /// SA: the input VC is ready if its front flit has an output and a credit.
  bool await_switch(InputVc& vc, Cycle now) {
    if (vc.ready > now) {
      set_next(vc.ready);
      return true;
    }
    const Cycle credit = vc.out->credit_at();
    if (credit > now) {
      if (credit != never) {
        set_next(credit);
        return true;
      }
      ends_[vc.out_port].out->watch_credit(vc.out_vc, vc.number);
      return false;
    }
    ready_ |= bit(vc.number);
    awaits_flit_ &= ~bit(vc.number);
    return false;
  }

  /// Input VCs that request the switch: the ready ones, except for those that keep an output by prediction
  /// and those whose output pauses.
  [[gnu::always_inline]] std::uint64_t requesting_vcs(Cycle now) const {
    if constexpr (predicts) return ready_ & ~kept_;  // no output pauses
    if (!timed || uses_ == nullptr) return ready_;
    const auto pauses = [this, now](const InputVc& vc) { return output_takes_at(vc) > now; };
    return ready_ & ~vcs_where(ready_, pauses);
  }

  [[gnu::always_inline]] void allocate_switch(std::uint64_t asking, Cycle now) {
    std::uint64_t served = 0;
    for (std::uint64_t granted = switch_.allocate(asking); granted != 0; granted &= granted - 1) {
      InputVc& vc = vcs_[lowest(granted)];
      if constexpr (predicts) prediction_->cross(vc, now);
      if (timed && !predicts && uses_ != nullptr) uses_[vc.out_port] = {now + 1, vc.out_vc};
      if (!traverse_and_release(vc, now, 0)) served |= granted & (~granted + 1);
    }
    ready_ &= ~served;
  }

  /// ST. Returns true if the input VC is ready in the next cycle, too.
  [[gnu::always_inline]] bool traverse_and_release(InputVc& vc, Cycle now, Cycle lead_cycles) {
    if constexpr (Counting::counts) count_flit(waits_[vc.number], vc, now);
    const bool tail = traverse_switch(vc, now, lead_cycles);
    const FlitSlot& next = vc.front();
    if (tail) {
      give_up_switch(vc);
      release_output_vc(vc);
      call_parked(now);
    } else if (vc.out->credit_at() <= now + 1) {
      // The state in the next cycle is known now: no action of the two ends in this cycle is visible before.
      if (next.holds_flit() && next.cycle() <= now + 1) return true;
      awaits_flit_ |= bit(vc.number);
    }
    if (next.holds_flit()) look_at_next(vc, now);
    return false;
  }
  /// A tail leaves: withdraws the request for its output.
  void give_up_switch(const InputVc& vc) {
    if constexpr (predicts) {
      prediction_->may_be_quiet(vc);
      if ((kept_ & bit(vc.number)) != 0) {
        kept_ &= ~bit(vc.number);
        return;
      }
    }
    switch_.release(vc.number);
  }

  /// VA: winners take their output virtual channels and start to request the switch.
  void allocate_vcs(Cycle now) {
    allocate_vcs_with(now, [this, now](InputVc& vc) {
      if (timed && recovers_) check_recovery(vc, now);
      if constexpr (Counting::counts) waits_[vc.number].granted(now, vc.ready);
      switch_.hold(vc.number, vc.out_port);
      // The head is present, and credits that are returned later cannot be used in the next cycle.
      if (vc.ready == now + 1 && vc.out->credit_at() <= now + 1) {
        ready_ |= bit(vc.number);
      } else {
        set_next(vc.ready);
      }
    });
  }

  // Prediction: from a head that tries to cross to the flits that cross.

  /// A head has requested its route. Returns true if it may cross in this cycle by prediction. A guess whose
  /// route is not known in time counts as wrong, like one without a route.
  [[gnu::always_inline]] bool predict(const InputVc& vc, const Packet& packet,
                                      const routing::RouteSet& routes, Cycle now) {
    if (!may_predict(packet)) {
      prediction_->decline(vc, now);
      return false;
    }
    if (vc.ready <= now) {
      if (vc.candidates == 0) return false;
      learn_route(vc, packet);
    }
    if (prediction_->admits(vc)) {
      const bool in_time = vc.ready <= now + config_.st_cycles;
      const routing::RouteQuery query = routes_.query(vc.route_input(), packet);
      return prediction_->try_head(vc, {query, in_time ? routes : no_routes, packet.flits, true}, now);
    }
    prediction_->count_not_idle(vc, now);
    return false;
  }
  /// Trains the predictor with the route of a head that did not cross by prediction.
  void learn_late_route(const InputVc& vc, Cycle now) {
    if (vc.ready <= now && vc.candidates != 0) learn_route(vc, pool_.at(vc.packet));
  }

  /// Lets flits cross by prediction, after all requests of the cycle are known.
  [[gnu::always_inline]] void settle_tries(Cycle now) {
    ask_for_held(now);
    const std::uint64_t lost = lost_vcs(now);
    if (lost != 0 || prediction_->any_tries()) hold_back(lost, now);
    if ((ready_ & kept_) != 0) cross_kept(now);
    if (prediction_->any_tries())
      prediction_->cross_all(now, [&](const Prediction::Try& one) { cross_predicted(one, now); });
  }
  /// Reports the known real requests of the cycle.
  void ask_for_held(Cycle now) {
    std::uint64_t inputs = 0, outputs = 0;
    for (std::uint64_t rest = requesting_vcs(now); rest != 0; rest &= rest - 1) {
      const InputVc& vc = vcs_[lowest(rest)];
      inputs |= bit(vc.port);
      outputs |= bit(vc.out_port);
    }
    if (va_.any_requests()) {
      for (const VcRequest& request : va_.requests()) {
        inputs |= bit(vcs_[request.input_vc].port);
        outputs |= bit(request.port);
      }
    }
    if (outputs != 0) prediction_->request_all(inputs, outputs, now);
  }
  /// Input VCs that lose their output: it is requested, or a flit that won the switch crosses there.
  std::uint64_t lost_vcs(Cycle now) {
    std::uint64_t lost = 0;
    if (const std::uint64_t inputs = prediction_->take_dropped(); inputs != 0)
      lost = vcs_where(kept_, [&](const InputVc& vc) { return (inputs & bit(vc.port)) != 0; });
    if (prediction_->others_cross(now))
      lost |= vcs_where(ready_ & kept_, [&](const InputVc& vc) { return !prediction_->may_cross(vc, now); });
    return lost;
  }
  /// Removes tries that fail. Their flits request the output in this cycle, by which further tries may fail.
  void hold_back(std::uint64_t lost, Cycle now) {
    for (bool first = true;; first = false) {
      const bool failed = prediction_->hold_back(now, first, [&](unsigned input_vc) {
        if (!goes_on(vcs_[input_vc], now)) calendar_.clear_busy(input_vc);
      });
      go_by_switch(lost);
      if (lost == 0 && !failed) break;
      ask_for_held(now);
      lost = lost_vcs(now);
    }
  }
  /// A head whose try has failed: await_route(), counted.
  bool goes_on(InputVc& vc, Cycle now) {
    if constexpr (!Counting::counts) return await_route(vc, now);
    return ends_routing(vc, now) ? request_vc(vc, now) : vc.ready != never;
  }
  /// From now on the packets of these input VCs request the switch.
  void go_by_switch(std::uint64_t input_vcs) {
    kept_ &= ~input_vcs;
    for (; input_vcs != 0; input_vcs &= input_vcs - 1) {
      const InputVc& vc = vcs_[lowest(input_vcs)];
      prediction_->give_up(vc);
      switch_.hold(vc.number, vc.out_port);
    }
  }
  /// ST only: body flits whose head has hit.
  void cross_kept(Cycle now) {
    const Cycle lead_cycles = prediction_->lead_cycles();
    std::uint64_t served = 0;
    for (std::uint64_t rest = ready_ & kept_; rest != 0; rest &= rest - 1) {
      const unsigned input_vc = lowest(rest);
      InputVc& vc = vcs_[input_vc];
      prediction_->cross_kept(vc, now);
      if (!traverse_and_release(vc, now, lead_cycles)) served |= bit(input_vc);
    }
    ready_ &= ~served;
  }
  /// ST only: a head takes the output virtual channel that was reserved for its input.
  void cross_predicted(const Prediction::Try& one, Cycle now) {
    InputVc& vc = vcs_[one.input_vc];
    if (vc.ready > now) {
      prediction_->save(vc, vc.ready - now);
      prediction_->learn(vc, pool_.at(vc.packet).destination, one.out_port);
    }
    vc.hold(outputs_[one.out_port].sender.ring(one.out_vc), one.out_port, one.out_vc, now);
    outputs_[one.out_port].take(one.out_vc);
    kept_ |= bit(one.input_vc);
    tell(vc, HeadStage::crossing, now);
    if constexpr (Counting::counts) waits_[vc.number].crosses(vc.front().cycle(), now);
    calendar_.clear_busy(vc.number);
    if (traverse_and_release(vc, now, prediction_->lead_cycles())) ready_ |= bit(vc.number);
  }

  // Between two cycles.

  /// A watched credit of this packet must not be used for a flit of the next one. Its flits on the wires are
  /// announced again when the input VC, whose bit is set now, is examined.
  void drop_requests(InputVc& vc) override {
    // release() requires that the allocator knows the input virtual channel.
    if constexpr (predicts) go_by_switch(kept_ & bit(vc.number));
    ready_ &= ~bit(vc.number);
    awaits_flit_ &= ~bit(vc.number);
    switch_.release(vc.number);
    ends_[vc.out_port].out->forget_watch(vc.out_vc, vc.number);
    calendar_.forget(vc.number);
  }
  std::uint64_t vcs_to_serve() const override { return ready_; }

  static unsigned lowest(std::uint64_t input_vcs) {
    return static_cast<unsigned>(__builtin_ctzll(input_vcs));
  }
  template <class Holds>
  std::uint64_t vcs_where(std::uint64_t input_vcs, const Holds& holds) const {
    std::uint64_t found = 0;
    for (; input_vcs != 0; input_vcs &= input_vcs - 1) {
      if (holds(vcs_[lowest(input_vcs)])) found |= input_vcs & (~input_vcs + 1);
    }
    return found;
  }

  std::uint64_t ready_ = 0;        ///< input VCs with an output, a credit and a flit
  std::uint64_t awaits_flit_ = 0;  ///< input VCs with an output and a credit that expect a flit
  BitmaskSwitchAllocator switch_;
  std::uint64_t kept_ = 0;  ///< input VCs that keep their output by prediction, without the switch allocator
};

/// Makes the driver that suffices, as a separate class for the type `Counting`.
template <class Counting>
ArenaPtr<VcRouter> make_fast_driver(const VcRouterConfig& config, graph::RouterId id,
                                    const std::vector<RouterPort>& ports, const RouterParts& parts) {
  const bool timed = needs_times(config, parts), predicts = config.prediction.on();
  if (timed && predicts)
    return make_in<FastVcRouter<true, true, Counting>>(*parts.arena, config, id, ports, parts);
  if (timed) return make_in<FastVcRouter<true, false, Counting>>(*parts.arena, config, id, ports, parts);
  if (predicts) return make_in<FastVcRouter<false, true, Counting>>(*parts.arena, config, id, ports, parts);
  return make_in<FastVcRouter<false, false, Counting>>(*parts.arena, config, id, ports, parts);
}

}  // namespace tsuji::router
