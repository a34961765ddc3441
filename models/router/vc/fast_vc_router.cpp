#include "tsuji/router/vc/fast_vc_router.h"

#include <algorithm>

namespace tsuji::router {
namespace {

std::vector<std::uint8_t> vcs_of_inputs(const std::vector<RouterPort>& ports) {
  std::vector<std::uint8_t> vcs;
  for (const RouterPort& port : ports)
    vcs.push_back(static_cast<std::uint8_t>(port.in == nullptr ? 0 : port.in->vcs()));
  return vcs;
}

}  // namespace

bool FastVcRouter::suffices(const VcRouterConfig& config, const std::vector<RouterPort>& ports) {
  const bool a_flit_a_cycle = std::all_of(ports.begin(), ports.end(), [](const RouterPort& port) {
    return port.out == nullptr || port.out->flit_cycles() == 1;
  });
  return count_lines(ports) < LineSwitchAllocator::most_lines && a_flit_a_cycle &&
         config.vc_change_cycles == 0 && config.sa_allocator == AllocatorKind::islip &&
         config.islip_iterations == 1 && config.input_speedup == 1 && config.va_cycles > 0 &&
         config.switching != Switching::store_and_forward && config.route_at == RouteAt::front &&
         config.block_timeout_cycles == 0 && config.hop_limit == 0 && !config.prediction.on();
}

FastVcRouter::FastVcRouter(const VcRouterConfig& config, graph::RouterId id,
                           const std::vector<RouterPort>& ports, const RouterParts& parts)
    : VcRouter(config, id, ports, parts, false),
      switch_(*parts.arena, vcs_of_inputs(ports), static_cast<unsigned>(ports.size())) {}

void FastVcRouter::step(Cycle now) {
  alarm_.set(now, run_cycle(now));
}

Cycle FastVcRouter::advance(Cycle now) {
  return run_cycle(now);
}

[[gnu::always_inline]] inline Cycle FastVcRouter::run_cycle(Cycle now) {
  next_ = never;
  take_arrivals(now);                         // RC, and heads ask for outputs
  if (ready_ != 0) pass_flits(now);           // SA, ST
  if (va_.any_requests()) take_outputs(now);  // VA
  if (ready_ != 0) set_next(now + 1);
  return next_;
}

/// Flits that were waited for make their lines ready; all other busy lines are looked at.
[[gnu::always_inline]] inline void FastVcRouter::take_arrivals(Cycle now) {
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
    if (!visit(*this, vcs_[line], now)) done |= rest & (~rest + 1);
  }
  busy &= ~done;
}

[[gnu::always_inline]] inline bool FastVcRouter::begin(InputVc& vc, const FlitSlot& front, Cycle now) {
  if (!front.head()) out_of_order(now, vc, front);
  enter(vc, front, now);
  Packet& packet = pool_.at(vc.packet);
  routing::RouteSet routes;
  vc.ready = routes_.ask(vc.route_input(), packet, routes, now);
  ++packet.hops;  // here, where the packet is looked at anyway; forget() takes it back
  if (vc.ready != never) va_.keep(vc, routes);
  return await_route(vc, now);
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

[[gnu::always_inline]] inline void FastVcRouter::pass_flits(Cycle now) {
  std::uint64_t served = 0;
  for (std::uint64_t granted = switch_.grant(ready_); granted != 0; granted &= granted - 1) {
    const auto line = static_cast<unsigned>(__builtin_ctzll(granted));
    InputVc& vc = vcs_[line];
    const bool tail = traverse(vc, now);
    const FlitSlot& next = vc.front();
    if (tail) {
      switch_.release(line);
      release_output(vc);
      call_parked(now);
    } else if (vc.out->credit_at() <= now + 1) {
      // The next cycle's finding is known now: nothing that either end does in this cycle shows before
      // it is over.
      if (next.holds_flit() && next.cycle() <= now + 1) continue;
      awaits_flit_ |= bit(line);
    }
    served |= bit(line);
    if (next.holds_flit()) look_at_next(vc, now);
  }
  ready_ &= ~served;
}

inline void FastVcRouter::take_outputs(Cycle now) {
  allocate_outputs(now, [this, now](InputVc& vc) {
    switch_.hold(vc.number, vc.out_port);
    // The head is there, and credits that come back later cannot be used in the next cycle.
    if (vc.ready == now + 1 && vc.out->credit_at() <= now + 1) {
      ready_ |= bit(vc.number);
    } else {
      set_next(vc.ready);
    }
  });
}

/// A credit that was told for this packet must not be taken for a flit of the next one. Its flits on the
/// wires are announced again when the line, which is busy now, is looked at.
void FastVcRouter::drop_requests(InputVc& vc) {
  ready_ &= ~bit(vc.number);
  awaits_flit_ &= ~bit(vc.number);
  switch_.release(vc.number);
  ends_[vc.out_port].out->forget_watch(vc.out_vc, vc.number);
  board_.forget(vc.number);
}

}  // namespace tsuji::router
