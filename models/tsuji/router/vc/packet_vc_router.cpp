// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/packet_vc_router.h"

#include <algorithm>

#include "tsuji/router/vc/bitmask_switch_allocator.h"
#include "tsuji/router/vc/fast_vc_router.h"

namespace tsuji::router {
namespace {

/// Driver that moves a packet in one event. A head that wins the switch in cycle s takes the flits of its
/// packet along: flit i leaves in s + i, since its credit is there (the packet fits), it has arrived (it
/// follows the head without a pause) and nothing else uses the input or the output. All slots are freed and
/// filled in s, with the cycles in which that happens. In s + flits the output virtual channel is released.
///
///     cycle       s               s + 1 ... s + flits - 1     s + flits
///     switch      head wins       input and output are held   free
///     event       cross()         none                        finish(), if anything waits for it
class PacketVcRouter final : public VcRouter {
 public:
  PacketVcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
                 const RouterParts& parts)
      : VcRouter(config, id, ports, parts, false),
        switch_(*parts.arena, vcs_of_inputs(ports), static_cast<unsigned>(ports.size())) {}

  Cycle advance(Cycle now) override { return run_cycle(now); }
  void step(Cycle now) override { alarm_.set(now, run_cycle(now)); }
  void add_switch_allocator(PartList& parts) const override { add_part(parts, switch_); }

 private:
  Cycle run_cycle(Cycle now) {
    next_ = never;
    take_arrivals(now);                         // RC, and requests for VA
    if (ready_ != 0) allocate_switch(now);      // SA, ST
    if (va_.any_requests()) allocate_vcs(now);  // VA
    // Otherwise the end of a packet is noticed in the next cycle in which anything happens.
    if (crossing_ != 0 && (ready_ != 0 || va_.any_parked())) set_next(first_end());
    return next_;
  }

  void take_arrivals(Cycle now) {
    ArrivalCalendar::Column column = calendar_.column(0);
    column.take(now);
    // First, since heads request the virtual channels that packets release.
    for_each_bit(crossing_, [&](unsigned input_vc) {
      if (vcs_[input_vc].ready <= now) finish(vcs_[input_vc]);
    });
    std::uint64_t& busy = column.busy();
    if ((busy & parked_bit_) != 0) {
      busy &= ~parked_bit_;
      unpark();
    }
    std::uint64_t done = ready_;
    for_each_bit(busy & ~done, [&](unsigned input_vc) {
      if (!visit(vcs_[input_vc], now)) done |= bit(input_vc);
    });
    busy &= ~done;
  }

  /// The last flit of a packet has left.
  void finish(InputVc& vc) {
    crossing_ &= ~bit(vc.number);
    switch_.release(vc.number);
    release_output_vc(vc);
    if (va_.any_parked()) unpark();
  }
  /// First cycle after the last flit of one of the packets that cross.
  Cycle first_end() const {
    Cycle first = never;
    for_each_bit(crossing_, [&](unsigned input_vc) { first = std::min(first, vcs_[input_vc].ready); });
    return first;
  }

  /// Runs the pipeline stage of the packet at the front. Returns false if there is no work until an event.
  bool visit(InputVc& vc, Cycle now) {
    if (vc.state == VcState::active) return await_switch(vc, now);
    const FlitSlot& front = vc.front();
    const Front found = look_at_front(vc, front, now);
    if (found != Front::here) return found == Front::awaited;
    bool routed = true;
    if (vc.state == VcState::idle) {
      if (config_.switching == Switching::store_and_forward && awaits_tail(vc, front, now)) return true;
      compute_route(vc, front, now);
      routed = has_route(vc, now);
    } else if (vc.state == VcState::routing) {
      routed = has_route(vc, now);
    }
    if (routed) return request_vc(vc, now);
    return vc.ready != never;  // otherwise the answer sets the bit
  }
  bool awaits_tail(const InputVc& vc, const FlitSlot& front, Cycle now) {
    const Cycle here = vc.behind_front(pool_.at(front.packet()).flits - 1U).cycle();
    if (here <= now) return false;
    set_next(here);
    return true;
  }
  void compute_route(InputVc& vc, const FlitSlot& front, Cycle now) {
    if (!front.head()) out_of_order(now, vc, front);
    start_route_computation(vc, front, now);
    Packet& packet = pool_.at(vc.packet);
    routing::RouteSet routes;
    vc.ready = routes_.ask(vc.route_input(), packet, routes, now);
    if (vc.ready != never) va_.keep(vc, routes);
    ++packet.hops;  // forget() decrements it again
  }

  /// SA: a head with an output requests the switch until it crosses. The packet after one that crosses waits
  /// for its end.
  bool await_switch(InputVc& vc, Cycle now) {
    if (vc.ready > now) {
      set_next(vc.ready);
      return true;
    }
    ready_ |= bit(vc.number);
    return false;
  }

  /// Heads whose input or output a packet holds.
  std::uint64_t held_back() const {
    std::uint64_t held = 0;
    for_each_bit(crossing_, [&](unsigned input_vc) { held |= switch_.rivals(input_vc); });
    return held;
  }
  void allocate_switch(Cycle now) {
    const std::uint64_t asking = ready_ & ~held_back();
    if (asking == 0) return;
    for_each_bit(switch_.allocate(asking), [&](unsigned input_vc) { cross(vcs_[input_vc], now); });
    // The others wait for the end of a packet, or lost to a grant that another output made in vain.
    if ((ready_ & ~held_back()) != 0) set_next(now + 1);
  }
  /// ST of all flits.
  void cross(InputVc& vc, Cycle now) {
    const unsigned flits = pool_.at(vc.packet).flits;
    if (!ends_[vc.port].in->pop_packet(now, vc, vc.packet, flits)) out_of_order(now, vc, vc.front());
    outputs_[vc.out_port].sender.send_packet(now, *vc.out, vc.packet, flits);
    vc.sequence = static_cast<std::uint16_t>(flits);
    vc.since = now + flits - 1;
    vc.ready = now + flits;
    ready_ &= ~bit(vc.number);
    crossing_ |= bit(vc.number);
    // The next packet is examined when this one has left.
    if (!vc.front().holds_flit()) return;
    calendar_.set_busy(vc.number);
    set_next(vc.ready);
  }

  /// VA: winners take their output virtual channels and start to request the switch.
  void allocate_vcs(Cycle now) {
    allocate_vcs_with(now, [this](InputVc& vc) {
      switch_.hold(vc.number, vc.out_port);
      set_next(vc.ready);
    });
  }

  // Between two cycles; packets of these routers are neither purged nor rerouted.

  void drop_requests(InputVc& vc) override {
    ready_ &= ~bit(vc.number);
    switch_.release(vc.number);
  }
  std::uint64_t vcs_to_serve() const override { return ready_; }

  std::uint64_t ready_ = 0;     ///< input VCs whose head requests the switch
  std::uint64_t crossing_ = 0;  ///< input VCs whose packet holds the switch, or has just left
  BitmaskSwitchAllocator switch_;
};

}  // namespace

bool passes_whole_packets(const VcRouterConfig& config, unsigned input_vcs) {
  return config.switch_hold == SwitchHold::packet && config.switching != Switching::wormhole &&
         input_vcs < BitmaskSwitchAllocator::most_vcs && allocates_by_bitmask(config) &&
         config.va_input_arbiter == VaInputArbiter::vcs && config.input_speedup == 1 &&
         config.va_cycles > 0 && config.route_at == RouteAt::front && !config.prediction.on() &&
         config.vc_change_cycles == 0 && config.block_timeout_cycles == 0 && config.hop_limit == 0;
}

ArenaPtr<VcRouter> make_packet_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                         const std::vector<RouterPort>& ports, const RouterParts& parts) {
  const auto whole = [](const FlitChannel* channel) {
    return channel == nullptr || (channel->whole_packets() && channel->flit_cycles() == 1);
  };
  const bool all = std::all_of(ports.begin(), ports.end(),
                               [&](const RouterPort& port) { return whole(port.in) && whole(port.out); });
  if (!all || !passes_whole_packets(config, VcRouter::count_input_vcs(ports)) || VcRouter::recovers(parts) ||
      parts.lookup.is_run_by_router())
    return nullptr;
  return make_in<PacketVcRouter>(*parts.arena, config, id, ports, parts);
}

}  // namespace tsuji::router
