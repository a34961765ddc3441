// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/vc/line_switch_allocator.h"
#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {

/// The driver of routers without rare features, whose input virtual channels are lines of one word. A flit
/// behind its head is not looked at before it leaves: the virtual channel asks for its output as long as it
/// holds it, and the request counts in the cycles in which a flit is at hand and has a credit. Those are
/// known when the flit before it leaves, or from the row in which its arrival was announced.
///
/// A driver derived from it runs the same cycle with more in it (FastPredictingRouter): it hides begin() and
/// the functions behind it.
class FastVcRouter : public VcRouter {
 public:
  /// The question that decides between the drivers: neither the configuration nor a port asks for more than
  /// this one does, or the one that predicts.
  static bool suffices(const VcRouterConfig& config, const std::vector<RouterPort>& ports);

  FastVcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
               const RouterParts& parts);

  Cycle advance(Cycle now) override;
  void step(Cycle now) override;

 protected:
  friend class VcRouter;  // visit()

  template <class Driver>
  [[gnu::always_inline]] Cycle run_cycle(Driver& driver, Cycle now);
  template <class Driver>
  [[gnu::always_inline]] void take_arrivals(Driver& driver, Cycle now);
  template <class Driver>
  [[gnu::always_inline]] bool begin_head(Driver& driver, InputVc& vc, const FlitSlot& front, Cycle now);
  template <class Driver>
  [[gnu::always_inline]] void pass_flits(Driver& driver, std::uint64_t asking, Cycle now);
  template <class Driver>
  [[gnu::always_inline]] bool pass_flit(Driver& driver, InputVc& vc, Cycle now, Cycle lead_cycles);
  bool await_switch(InputVc& vc, Cycle now);
  template <class Driver>
  void take_outputs(Driver& driver, Cycle now);
  void drop_requests(InputVc& vc) override;
  void look_behind(const InputVc& /*vc*/, Cycle /*now*/) {}
  std::uint64_t lines_to_serve() const override { return ready_; }

  /// Lines with an output, a credit and a flit.
  std::uint64_t ready_ = 0;
  /// Lines with an output and a credit, to which a flit comes in a cycle that is announced.
  std::uint64_t awaits_flit_ = 0;
  LineSwitchAllocator switch_;

 private:
  // A derived driver's additions.
  [[gnu::always_inline]] bool begin(InputVc& vc, const FlitSlot& front, Cycle now) {
    return begin_head(*this, vc, front, now);
  }
  void begin_cycle(Cycle /*now*/) {}
  /// A head is this router's, and has not asked for its route.
  void watch(const InputVc&, const Packet&, Cycle) {}
  /// A head has asked for its route. True: it may cross in this cycle without it.
  bool tries(InputVc&, const Packet&, const routing::RouteSet&, Cycle) { return false; }
  /// All heads have asked for their outputs.
  void settle(Cycle /*now*/) {}
  /// Lines that ask for the switch.
  std::uint64_t asking(Cycle /*now*/) { return ready_; }
  /// The line has won the switch.
  void won(const InputVc&, Cycle) {}
  /// The head has an output.
  void took_output(const InputVc&, Cycle) {}
  void end_cycle(Cycle /*now*/) {}
  /// A tail leaves, and its line gives up what it holds.
  void give_up_output(const InputVc& vc) { switch_.release(vc.number); }
};

template <class Driver>
inline Cycle FastVcRouter::run_cycle(Driver& driver, Cycle now) {
  next_ = never;
  driver.begin_cycle(now);
  take_arrivals(driver, now);  // RC, and heads ask for outputs
  driver.settle(now);
  if (const std::uint64_t asking = driver.asking(now); asking != 0)
    pass_flits(driver, asking, now);                  // SA, ST
  if (va_.any_requests()) take_outputs(driver, now);  // VA
  if (ready_ != 0) set_next(now + 1);
  driver.end_cycle(now);
  return next_;
}

/// Flits that were waited for make their lines ready; all other busy lines are looked at.
template <class Driver>
inline void FastVcRouter::take_arrivals(Driver& driver, Cycle now) {
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
    const auto line = static_cast<unsigned>(__builtin_ctzll(rest));
    if (!visit(driver, vcs_[line], now)) done |= rest & (~rest + 1);
  }
  busy &= ~done;
}

template <class Driver>
inline bool FastVcRouter::begin_head(Driver& driver, InputVc& vc, const FlitSlot& front, Cycle now) {
  if (!front.head()) out_of_order(now, vc, front);
  enter(vc, front, now);
  Packet& packet = pool_.at(vc.packet);
  driver.watch(vc, packet, now);
  routing::RouteSet routes;
  vc.ready = routes_.ask(vc.route_input(), packet, routes, now);
  if (vc.ready != never) va_.keep(vc, routes);
  const bool tries = driver.tries(vc, packet, routes, now);
  ++packet.hops;  // here, where the packet is looked at anyway; forget() takes it back
  return tries || await_route(vc, now);
}

template <class Driver>
inline void FastVcRouter::pass_flits(Driver& driver, std::uint64_t asking, Cycle now) {
  std::uint64_t served = 0;
  for (std::uint64_t granted = switch_.grant(asking); granted != 0; granted &= granted - 1) {
    const auto line = static_cast<unsigned>(__builtin_ctzll(granted));
    InputVc& vc = vcs_[line];
    driver.won(vc, now);
    if (!pass_flit(driver, vc, now, 0)) served |= bit(line);
  }
  ready_ &= ~served;
}

/// ST. True: the line is ready in the next cycle, too.
template <class Driver>
inline bool FastVcRouter::pass_flit(Driver& driver, InputVc& vc, Cycle now, Cycle lead_cycles) {
  const bool tail = traverse(vc, now, lead_cycles);
  const FlitSlot& next = vc.front();
  if (tail) {
    driver.give_up_output(vc);
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

/// SA: the line of the front flit, which is here, is ready when the flit has an output and a credit.
inline bool FastVcRouter::await_switch(InputVc& vc, Cycle now) {
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

template <class Driver>
inline void FastVcRouter::take_outputs(Driver& driver, Cycle now) {
  allocate_outputs(now, [this, &driver, now](InputVc& vc) {
    driver.took_output(vc, now);
    switch_.hold(vc.number, vc.out_port);
    // The head is there, and credits that come back later cannot be used in the next cycle.
    if (vc.ready == now + 1 && vc.out->credit_at() <= now + 1) {
      ready_ |= bit(vc.number);
    } else {
      set_next(vc.ready);
    }
  });
}

}  // namespace tsuji::router
