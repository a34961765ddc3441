// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/switch_allocator.h"
#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {

/// Driver with all features. It examines in every cycle each input virtual channel that may have work, except
/// for those with a pending switch request.
class FullVcRouter final : public VcRouter {
 public:
  FullVcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
               const RouterParts& parts);
  ~FullVcRouter() override = default;

  Cycle advance(Cycle now) override { return run_cycle(now); }
  void step(Cycle now) override { alarm_.set(now, run_cycle(now)); }
  void add_switch_allocator(PartList& parts) const override;
  void visit_held_twice(const std::function<void(PacketIndex)>& visit) const override;

 private:
  Cycle run_cycle(Cycle now);
  void take_arrivals(Cycle now);
  /// Runs the pipeline stage of the packet at the front. Returns false if the input needs no look until an
  /// event.
  [[gnu::always_inline]] bool visit(InputVc& vc, Cycle now) {
    const FlitSlot& front = vc.front();
    const Front found = look_at_front(vc, front, now);
    if (found != Front::here) return found == Front::awaited;
    const bool looks_behind = routes_.at_arrival() && scan_arrivals(vc, now);
    return run_stage(vc, front, now) || looks_behind;
  }
  /// Makes the requests of heads after the front. Returns true while flits are on the wires: an arrival that
  /// a replay has put beyond the calendar's rows has no event bit.
  bool scan_arrivals(const InputVc& vc, Cycle now) {
    const Cycle arrival = routes_.scan(vc.route_input(), vc, pool_, now);
    if (arrival != never) set_next(arrival);
    return arrival != never;
  }
  [[gnu::always_inline]] bool run_stage(InputVc& vc, const FlitSlot& front, Cycle now) {
    // The most frequent case first: most examined fronts are heads.
    if (vc.state == VcState::idle) return compute_route(vc, front, now);
    if (vc.state == VcState::routing) return await_route(vc, now);
    if (vc.state == VcState::waiting) return request_vc(vc, now);
    return await_switch(vc, now);
  }
  bool compute_route(InputVc& vc, const FlitSlot& front, Cycle now);
  bool await_switch(InputVc& vc, Cycle now);
  void allocate_switch(Cycle now);
  void traverse_granted(InputVc& vc, Cycle now);
  [[noreturn, gnu::cold]] void wrong_grant(const WrongGrant& wrong, Cycle now) const;
  void traverse_and_release(InputVc& vc, Cycle now, Cycle lead_cycles);

  // Prediction (predicting.cpp).
  bool look(InputVc& vc, Cycle now);
  bool look_early(InputVc& vc, const FlitSlot& front, Cycle now);
  bool try_early(InputVc& vc, const FlitSlot& front, Cycle now);
  bool await_last_word(const InputVc& vc);
  bool predict(InputVc& vc, const Packet& packet, const routing::RouteSet& routes, Cycle now);
  bool try_head(const InputVc& vc, const Packet& packet, const routing::RouteSet* routes, Cycle now);
  void settle_tries(Cycle now);
  void ask_for_held(Cycle now);
  bool go_on(InputVc& vc, Cycle now);
  void cross_predicted(const Prediction::Try& one, Cycle now);
  Prediction::Leak& begin_leak(const InputVc& vc, const Prediction::Try& one, Cycle now);
  void ask_behind_leak(InputVc& vc, PacketIndex index, const Prediction::Leak& leak, Cycle now);
  void leak_flit(InputVc& vc, const Prediction::Try& one, Cycle now);
  void follow_leaks(Cycle now);
  void try_next_leak(const InputVc& vc, Prediction::Leak& leak, Cycle now);
  void end_leak(InputVc& vc, Prediction::Leak& leak, Cycle now);
  void pass_buffered(InputVc& vc, Cycle now);
  void use_output(unsigned port, unsigned vc, Cycle now, Cycle lead_cycles);

  bool request_switch_or_cross(const InputVc& vc);

  // router.switch_hold packet.

  /// Returns true if another packet holds the input's or the output's side of the switch.
  bool switch_is_held(const InputVc& vc) const {
    const InputVc *const at_input = input_holders_[crossbar_input(vc)], *const at_output =
                                                                            output_holders_[vc.out_port];
    return (at_input != nullptr && at_input != &vc) || (at_output != nullptr && at_output != &vc);
  }
  bool holds_switch(const InputVc& vc) const { return holds_ && output_holders_[vc.out_port] == &vc; }
  void hold_switch(const InputVc& vc) {
    input_holders_[crossbar_input(vc)] = output_holders_[vc.out_port] = &vc;
  }
  void give_up_switch(const InputVc& vc) {
    if (!holds_switch(vc)) return;
    input_holders_[crossbar_input(vc)] = output_holders_[vc.out_port] = nullptr;
  }
  void cross_held(Cycle now);

  void renew_requests(Cycle now);
  void allocate_vcs(Cycle now);

  bool whole_packet_here(const InputVc& vc, PacketIndex packet, Cycle now) const;
  unsigned crossbar_input(const InputVc& vc) const {
    const unsigned speedup = config_.input_speedup;
    return speedup == 1 ? vc.port : vc.port * speedup + vc.vc % speedup;
  }
  InputVc& vc_of(const SwitchGrant& grant) {
    return vcs_[outputs_[grant.input / config_.input_speedup].first_in + grant.vc];
  }
  void request_switch(const InputVc& vc) {
    requesting_[vc.number / 64] |= bit(vc.number);
    switch_->request(crossbar_input(vc), vc.out_port, vc.vc);
  }
  void withdraw(const InputVc& vc) {
    requesting_[vc.number / 64] &= ~bit(vc.number);
    switch_->withdraw(crossbar_input(vc), vc.out_port, vc.vc);
  }
  void drop_requests(InputVc& vc) override;
  std::uint64_t vcs_to_serve() const override { return requesting_[0]; }

  std::uint64_t* requesting_;  ///< bit n: input virtual channel n has a pending switch request
  ArenaPtr<SwitchAllocator> switch_;
  const bool holds_;                          ///< router.switch_hold packet
  const InputVc** input_holders_ = nullptr;   ///< [crossbar input]: packet that holds it; null: none
  const InputVc** output_holders_ = nullptr;  ///< [port]: packet that holds it; null: none
  std::vector<InputVc*> crossing_;  ///< input VCs whose front flit crosses in this cycle on a held switch
  /// Flits may leave before their route is known, or before their last word has arrived (look()).
  const bool flits_run_ahead_;
};

}  // namespace tsuji::router
