// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/fast_vc_router.h"

#include <algorithm>

#include "tsuji/router/allocators/kinds.h"
#include "tsuji/router/vc/line_switch_allocator.h"

namespace tsuji::router {
namespace {

const routing::RouteSet no_routes{};

std::vector<std::uint8_t> vcs_of_inputs(const std::vector<RouterPort>& ports) {
  std::vector<std::uint8_t> vcs;
  for (const RouterPort& port : ports)
    vcs.push_back(static_cast<std::uint8_t>(port.in == nullptr ? 0 : port.in->vcs()));
  return vcs;
}

/// The driver of routers without rare features, whose input virtual channels are lines of one word. A body
/// flit is not looked at before it leaves: the virtual channel asks for its output as long as it holds it,
/// and the request counts in the cycles in which a flit is at hand and has a credit. Those cycles are known
/// when the flit before it leaves, or from the row in which its arrival was announced.
///
/// timed: heads that wait too long or make too many hops, outputs that pause when their virtual channel
/// changes, a look-up that the router runs.
/// predicts: a line whose head has hit keeps its output as long as nobody asks for it. Such a line does not
/// ask for the switch, and its flits cross in the cycles in which they are ready.
///
/// Functions are in the order in which a head comes to them.
template <bool timed, bool predicts>
class FastVcRouter final : public VcRouter {
 public:
  FastVcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
               const RouterParts& parts)
      : VcRouter(config, id, ports, parts, false),
        switch_(*parts.arena, vcs_of_inputs(ports), static_cast<unsigned>(ports.size())) {}

  Cycle advance(Cycle now) override { return run_cycle(now); }
  void step(Cycle now) override { alarm_.set(now, run_cycle(now)); }
  // Elsewhere, as more code here has the compiler inline less of the stages.
  void add_switch_allocator(PartList& parts) const override { add_part(parts, switch_); }

 private:
  [[gnu::always_inline]] Cycle run_cycle(Cycle now) {
    next_ = never;
    if constexpr (timed) begin_times(now);
    if constexpr (predicts) prediction_->begin(now);
    take_arrivals(now);  // RC, and heads ask for outputs
    if constexpr (predicts) settle_tries(now);
    if (const std::uint64_t asking = asking_lines(now); asking != 0) pass_flits(asking, now);  // SA, ST
    if (va_.any_requests()) take_outputs(now);                                                 // VA
    if (ready_ != 0) set_next(now + 1);
    if constexpr (timed) end_times(now);
    return next_;
  }

  /// Flits that were waited for make their lines ready; all other busy lines are looked at.
  [[gnu::always_inline]] void take_arrivals(Cycle now) {
    ArrivalBoard::Column lines = board_.column(0);
    const std::uint64_t announced = lines.take_row(now);
    const std::uint64_t arrived = announced & awaits_flit_;
    awaits_flit_ ^= arrived;
    ready_ |= arrived;
    std::uint64_t& busy = lines.busy();
    busy |= announced;
    if ((busy & parked_bit_) != 0) {
      busy &= ~parked_bit_;
      unpark();
    }
    // The next flit of a line that is ready is looked at when the one before it leaves.
    std::uint64_t done = ready_;
    for (std::uint64_t rest = busy & ~done; rest != 0; rest &= rest - 1) {
      if (!visit(vcs_[lowest(rest)], now)) done |= rest & (~rest + 1);
    }
    busy &= ~done;
  }

  /// The packet at the front continues in its stage.
  [[gnu::always_inline]] bool visit(InputVc& vc, Cycle now) {
    const FlitSlot& front = vc.front();
    const Front found = look_at_front(vc, front, now);
    if (found != Front::here) return found == Front::awaited;
    // ask_output() is called at one place, which has the compiler inline it.
    bool routed = true;
    if (vc.state == VcState::idle) {
      if (begin(vc, front, now)) return true;
      routed = has_route(vc, now);
    } else if (vc.state == VcState::routing) {
      if constexpr (predicts) learn_late_route(vc, now);
      routed = has_route(vc, now);
    } else if (vc.state == VcState::active) {
      return await_switch(vc, now);
    }
    if (routed) return ask_output(vc, now);
    return vc.ready != never;  // else the answer makes it busy
  }

  /// RC: the head asks for its route. True: it may cross in this cycle without it, by prediction.
  [[gnu::always_inline]] bool begin(InputVc& vc, const FlitSlot& front, Cycle now) {
    if (!front.head()) out_of_order(now, vc, front);
    enter(vc, front, now);
    Packet& packet = pool_.at(vc.packet);
    if constexpr (timed) watch(vc, packet, now);
    routing::RouteSet routes;
    vc.ready = routes_.ask(vc.route_input(), packet, routes, now);
    if (vc.ready != never) va_.keep(vc, routes);
    bool tries = false;
    if constexpr (predicts) tries = predict(vc, packet, routes, now);
    ++packet.hops;  // here, where the packet is looked at anyway; forget() takes it back
    return tries;
  }

  /// SA: the line of the front flit, which is here, is ready when the flit has an output and a credit.
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

  /// Lines that ask for the switch: those that are ready, but for those that keep an output and those whose
  /// output pauses.
  [[gnu::always_inline]] std::uint64_t asking_lines(Cycle now) const {
    if constexpr (predicts) return ready_ & ~kept_;  // no output pauses
    if (!timed || uses_ == nullptr) return ready_;
    const auto pauses = [this, now](const InputVc& vc) { return output_takes_at(vc) > now; };
    return ready_ & ~lines_where(ready_, pauses);
  }

  [[gnu::always_inline]] void pass_flits(std::uint64_t asking, Cycle now) {
    std::uint64_t served = 0;
    for (std::uint64_t granted = switch_.grant(asking); granted != 0; granted &= granted - 1) {
      InputVc& vc = vcs_[lowest(granted)];
      if constexpr (predicts) prediction_->cross(vc, now);
      if (timed && !predicts && uses_ != nullptr) uses_[vc.out_port] = {now + 1, vc.out_vc};
      if (!pass_flit(vc, now, 0)) served |= granted & (~granted + 1);
    }
    ready_ &= ~served;
  }

  /// ST. True: the line is ready in the next cycle, too.
  [[gnu::always_inline]] bool pass_flit(InputVc& vc, Cycle now, Cycle lead_cycles) {
    const bool tail = traverse(vc, now, lead_cycles);
    const FlitSlot& next = vc.front();
    if (tail) {
      give_up_switch(vc);
      release_output(vc);
      call_parked(now);
    } else if (vc.out->credit_at() <= now + 1) {
      // The next cycle's finding is known now: nothing that either end does in this cycle shows before
      // it is over.
      if (next.holds_flit() && next.cycle() <= now + 1) return true;
      awaits_flit_ |= bit(vc.number);
    }
    if (next.holds_flit()) look_at_next(vc, now);
    return false;
  }
  /// A tail leaves.
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

  /// VA.
  void take_outputs(Cycle now) {
    allocate_outputs(now, [this, now](InputVc& vc) {
      if (timed && recovers_) check_recovery(vc, now);
      switch_.hold(vc.number, vc.out_port);
      // The head is there, and credits that come back later cannot be used in the next cycle.
      if (vc.ready == now + 1 && vc.out->credit_at() <= now + 1) {
        ready_ |= bit(vc.number);
      } else {
        set_next(vc.ready);
      }
    });
  }

  // Prediction, from the head that tries its luck to the flits that cross.

  /// A head has asked for its route. True: it may cross in this cycle by prediction. A guess whose route is
  /// not known in time is wrong, as one without a route is.
  [[gnu::always_inline]] bool predict(const InputVc& vc, const Packet& packet,
                                      const routing::RouteSet& routes, Cycle now) {
    if (!may_predict(packet)) {
      prediction_->decline(vc, now);
      return false;
    }
    if (vc.ready != never && vc.candidates == 0) return false;
    if (vc.ready <= now) learn_route(vc, packet);
    if (prediction_->admits(vc)) {
      const bool in_time = vc.ready <= now + config_.st_cycles;
      const routing::RouteQuery query = routes_.query(vc.route_input(), packet);
      return prediction_->try_head(vc, {query, in_time ? routes : no_routes, packet.flits, true}, now);
    }
    prediction_->count_not_idle(vc, now);
    return false;
  }
  /// The route of a head whose guess was of no use.
  void learn_late_route(const InputVc& vc, Cycle now) {
    if (vc.ready <= now && vc.candidates != 0) learn_route(vc, pool_.at(vc.packet));
  }

  /// Flits that cross by prediction, when all requests of the cycle are known.
  [[gnu::always_inline]] void settle_tries(Cycle now) {
    ask_for_held(now);
    const std::uint64_t lost = lost_lines(now);
    if (lost != 0 || prediction_->any_tries()) hold_back(lost, now);
    if ((ready_ & kept_) != 0) cross_kept(now);
    if (prediction_->any_tries())
      prediction_->cross_all(now, [&](const Prediction::Try& one) { cross_predicted(one, now); });
  }
  /// Reports the real requests of the cycle that are known.
  void ask_for_held(Cycle now) {
    std::uint64_t inputs = 0, outputs = 0;
    for (std::uint64_t rest = asking_lines(now); rest != 0; rest &= rest - 1) {
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
  /// Lines whose output is asked for, and those with a flit where one that won the switch crosses.
  std::uint64_t lost_lines(Cycle now) {
    std::uint64_t lost = 0;
    if (const std::uint64_t inputs = prediction_->take_dropped(); inputs != 0)
      lost = lines_where(kept_, [&](const InputVc& vc) { return (inputs & bit(vc.port)) != 0; });
    if (prediction_->others_cross(now))
      lost |=
          lines_where(ready_ & kept_, [&](const InputVc& vc) { return !prediction_->may_cross(vc, now); });
    return lost;
  }
  /// Flits that have lost their output ask for it in this cycle, and others may lose theirs by that.
  void hold_back(std::uint64_t lost, Cycle now) {
    for (bool first = true;; first = false) {
      const bool failed = prediction_->hold_back(now, first, [&](unsigned line) {
        if (!await_route(vcs_[line], now)) board_.clear_busy(line);
      });
      go_by_switch(lost);
      if (lost == 0 && !failed) break;
      ask_for_held(now);
      lost = lost_lines(now);
    }
  }
  /// Their packets go by the switch from now on.
  void go_by_switch(std::uint64_t lines) {
    kept_ &= ~lines;
    for (; lines != 0; lines &= lines - 1) {
      const InputVc& vc = vcs_[lowest(lines)];
      prediction_->give_up(vc);
      switch_.hold(vc.number, vc.out_port);
    }
  }
  /// ST alone, of body flits whose head has hit.
  void cross_kept(Cycle now) {
    const Cycle lead_cycles = prediction_->lead_cycles();
    std::uint64_t served = 0;
    for (std::uint64_t rest = ready_ & kept_; rest != 0; rest &= rest - 1) {
      const unsigned line = lowest(rest);
      InputVc& vc = vcs_[line];
      prediction_->cross_kept(vc, now);
      if (!pass_flit(vc, now, lead_cycles)) served |= bit(line);
    }
    ready_ &= ~served;
  }
  /// ST alone: a head takes the output virtual channel that its input held.
  void cross_predicted(const Prediction::Try& one, Cycle now) {
    InputVc& vc = vcs_[one.line];
    if (vc.ready > now) {
      prediction_->save(vc, vc.ready - now);
      prediction_->learn(vc, pool_.at(vc.packet).destination, one.out_port);
    }
    vc.hold(outputs_[one.out_port].sender.ring(one.out_vc), one.out_port, one.out_vc, now);
    outputs_[one.out_port].take(one.out_vc);
    kept_ |= bit(one.line);
    tell(vc, HeadStage::crossing, now);
    board_.clear_busy(vc.number);
    if (pass_flit(vc, now, prediction_->lead_cycles())) ready_ |= bit(vc.number);
  }

  // Between two cycles.

  /// A credit that was reported for this packet must not be taken for a flit of the next one. Its flits on
  /// the wires are announced again when the line, which is busy now, is looked at.
  void drop_requests(InputVc& vc) override {
    // release() below expects a line that the switch allocator knows.
    if constexpr (predicts) go_by_switch(kept_ & bit(vc.number));
    ready_ &= ~bit(vc.number);
    awaits_flit_ &= ~bit(vc.number);
    switch_.release(vc.number);
    ends_[vc.out_port].out->forget_watch(vc.out_vc, vc.number);
    board_.forget(vc.number);
  }
  std::uint64_t lines_to_serve() const override { return ready_; }

  static unsigned lowest(std::uint64_t lines) { return static_cast<unsigned>(__builtin_ctzll(lines)); }
  template <class Holds>
  std::uint64_t lines_where(std::uint64_t lines, const Holds& holds) const {
    std::uint64_t found = 0;
    for (; lines != 0; lines &= lines - 1) {
      if (holds(vcs_[lowest(lines)])) found |= lines & (~lines + 1);
    }
    return found;
  }

  std::uint64_t ready_ = 0;        ///< lines with an output, a credit and a flit
  std::uint64_t awaits_flit_ = 0;  ///< lines with an output and a credit, to which a flit was announced
  LineSwitchAllocator switch_;
  std::uint64_t kept_ = 0;  ///< lines that have their output by prediction, without the switch allocator
};

/// Prediction in its simplest form: a guess is known to be wrong before its flit is on the link, and is made
/// before its head comes. Nothing else is asked of the driver.
bool predicts_simply(const VcRouterConfig& config) {
  const PredictionConfig& prediction = config.prediction;
  return prediction.check == PredictionCheck::kill && !prediction.serial &&
         !prediction.kinds.traits(prediction.kind).reads_coming;
}

/// LineSwitchAllocator grants what the configured switch allocator would.
bool allocates_by_lines(const VcRouterConfig& config) {
  return config.sa_allocator == "islip" && config.sa_allocators.of<IslipConfig>().islip_iterations == 1;
}

bool suffices(const VcRouterConfig& config, const std::vector<RouterPort>& ports) {
  const bool a_flit_a_cycle = std::all_of(ports.begin(), ports.end(), [](const RouterPort& port) {
    return port.out == nullptr || port.out->flit_cycles() == 1;
  });
  return VcRouter::count_lines(ports) < LineSwitchAllocator::most_lines && a_flit_a_cycle &&
         allocates_by_lines(config) && config.va_input_arbiter == VaInputArbiter::vcs &&
         config.input_speedup == 1 && config.va_cycles > 0 &&
         config.switching != Switching::store_and_forward && config.route_at == RouteAt::front &&
         (!config.prediction.on() || predicts_simply(config));
}

bool needs_times(const VcRouterConfig& config, const RouterParts& parts) {
  return config.vc_change_cycles != 0 || config.block_timeout_cycles != 0 || config.hop_limit != 0 ||
         VcRouter::recovers(parts) || parts.lookup.is_run_by_router();
}

}  // namespace

ArenaPtr<VcRouter> make_fast_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                       const std::vector<RouterPort>& ports, const RouterParts& parts) {
  if (!suffices(config, ports)) return nullptr;
  const bool timed = needs_times(config, parts), predicts = config.prediction.on();
  if (timed && predicts) return make_in<FastVcRouter<true, true>>(*parts.arena, config, id, ports, parts);
  if (timed) return make_in<FastVcRouter<true, false>>(*parts.arena, config, id, ports, parts);
  if (predicts) return make_in<FastVcRouter<false, true>>(*parts.arena, config, id, ports, parts);
  return make_in<FastVcRouter<false, false>>(*parts.arena, config, id, ports, parts);
}

}  // namespace tsuji::router
