// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/progress_timer.h"
#include "tsuji/router/route_computation.h"
#include "tsuji/router/vc/input_vc.h"
#include "tsuji/router/vc/output_port.h"
#include "tsuji/router/vc/prediction.h"
#include "tsuji/router/vc/vc_allocation.h"

namespace tsuji::router {

/// An input-buffered virtual-channel router without a simulation kernel: its parts, the stages that a flit
/// goes through, and everything that happens between two cycles. A driver, which is a class derived from this
/// one, runs the stages of a cycle.
///
/// A head at the front of its virtual channel goes through route computation (RouteLookup's time), waits for
/// an output virtual channel (VA), and then each flit for itself for the switch (SA) and a credit. A flit
/// that wins in cycle s leaves its buffer in s, whose credit the sender sees later, and is on the output's
/// wires sa + st cycles after s. A tail frees its output virtual channel for the next cycle's VA.
///
/// Invariant: flits in = flits out + flits held + flits killed; every flit of a packet follows its head in
/// order (checked for every flit, ModelError).
class VcRouter : public FlitRouter, public RouteClient {
 public:
  VcRouter(const VcRouter&) = delete;
  VcRouter& operator=(const VcRouter&) = delete;
  ~VcRouter() override;

  void bind(const Waker& self) override;

  /// One cycle, for a test; every cycle in which something may happen. Returns the next cycle in which the
  /// router has something to do by itself, `never` if only arrivals and credits can give it work.
  virtual Cycle advance(Cycle now) = 0;
  void approach(Cycle now, unsigned stage) const override;

  void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& routes) override;

  std::string stands_for() const override;
  void add_parts(PartList& parts) const override;

  PurgingRouter* purging() override { return &abilities_; }
  ReroutingRouter* rerouting() override { return &abilities_; }
  SuspendingRouter* suspending() override { return &abilities_; }
  TellingRouter* telling() override { return &abilities_; }
  const RecoveringRouter* recovering() const override { return &abilities_; }
  const PredictingRouter* predicting() const override {
    return prediction_ == nullptr ? nullptr : &abilities_;
  }
  PurgedPart purge(PacketIndex packet, unsigned port, unsigned vc, Cycle now);
  void route_again(unsigned port, unsigned vc, Cycle now);
  void route_all_again(Cycle now);
  void exchange_routing(const routing::RoutingView& view, Cycle now);
  void suspend(bool suspended, Cycle now);
  void visit_timeouts(Cycle now, const std::function<void(unsigned port, unsigned vc)>& visit) const;
  std::uint32_t routing_generation() const { return routes_.generation(); }
  void visit_holders(unsigned port, const std::function<void(const OutputHolder&)>& visit) const;
  Cycle last_event(Cycle now) const override;
  RouterCounters counters() const override;
  unsigned ports() const override { return port_count_; }
  VcView view(unsigned port, unsigned vc) const override;
  const RouterPort& port(unsigned p) const override { return ends_[p]; }
  std::vector<routing::RouteCandidate> candidates(unsigned port, unsigned vc) const override;
  graph::RouterId id() const override { return id_; }
  void set_probe(RouterProbe* probe);
  PredictionCounters prediction_counters() const;
  PredictionCounters prediction_counters_at(unsigned port) const {
    return prediction_ == nullptr ? PredictionCounters{} : prediction_->counters(port);
  }

  /// The routing has heads that wait too long taken into recovery.
  static bool recovers(const RouterParts& parts) {
    return parts.routing != nullptr && parts.routing->recovery() != nullptr;
  }
  /// Input virtual channels of all ports, with gaps: those of a port lie in one word of 64 lines.
  static unsigned count_lines(const std::vector<RouterPort>& ports);

 protected:
  /// `every_flit`: the driver looks at flits behind the front, too (ArrivalBoard).
  VcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
           const RouterParts& parts, bool every_flit);

  void set_next(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  void tell(const InputVc& vc, HeadStage stage, Cycle at) {
    if (probe_ != nullptr) probe_->on_stage(id_, vc.port, vc.vc, vc.packet, stage, at);
  }
  static std::uint64_t bit(unsigned line) { return std::uint64_t{1} << (line % 64); }

  // Stages. Those that return a bool return false if the virtual channel has nothing to do until something
  // comes that makes its line busy again.

  /// The head at the front is this router's from now on.
  void enter(InputVc& vc, const FlitSlot& front, Cycle now) {
    vc.begin(front.packet(), now);
    tell(vc, HeadStage::route_computation, now);
  }
  /// RC: the head's routes are known in vc.ready. True: that is now, and the head waits for an output.
  bool has_route(InputVc& vc, Cycle now) {
    if (vc.ready > now) {
      if (vc.ready != never) set_next(vc.ready);
      return false;
    }
    vc.wait();
    tell(vc, HeadStage::vc_allocation, now);
    return true;
  }
  bool await_route(InputVc& vc, Cycle now) {
    if (has_route(vc, now)) return ask_output(vc, now);
    return vc.ready != never;  // else the answer makes it busy
  }
  /// VA: the head asks for an output virtual channel.
  bool ask_output(InputVc& vc, Cycle now) {
    Cycle again = never;
    const VcAllocation::Answer answer = va_.ask(vc, now, again);
    if (answer == VcAllocation::Answer::requested) return true;
    if (answer == VcAllocation::Answer::no_route) no_route(vc, now);
    set_next(again);
    return again != never;
  }
  /// Result of a look at the flit at the front.
  enum class Front : std::uint8_t {
    none,     ///< nothing to do until something makes the line busy
    awaited,  ///< the line stays busy
    here      ///< the packet continues in its stage
  };
  [[gnu::always_inline]] Front look_at_front(InputVc& vc, const FlitSlot& front, Cycle now) {
    if (!front.holds_flit()) return Front::none;
    // Its sender asks for that cycle, too; a board that does not reach so far keeps the line busy.
    if (front.cycle() > now)
      return board_.announce(vc.number, now, front.cycle()) ? Front::none : Front::awaited;
    if (front.killed()) return throw_away(vc, now) ? Front::awaited : Front::none;
    return Front::here;
  }
  /// VA of this cycle: calls granted(vc) for each head that has taken an output virtual channel; the others
  /// ask again.
  template <class Granted>
  [[gnu::always_inline]] void allocate_outputs(Cycle now, const Granted& granted) {
    for (const VcRequest& request : va_.allocate()) {
      if (request.granted == VcRequest::nothing) {
        set_next(now + 1);
        continue;
      }
      InputVc& vc = vcs_[request.input_vc];
      if (va_.checks_grants()) check_grant(request, now);
      take_output(vc, request, now);
      granted(vc);
    }
  }
  /// VA: the head has got one.
  void take_output(InputVc& vc, const VcRequest& request, Cycle now) {
    OutputPort& output = outputs_[request.port];
    vc.hold(output.sender.ring(request.granted), request.port, request.granted, now + config_.va_cycles);
    output.take(request.granted);
    va_.taken();
    tell(vc, HeadStage::switch_allocation, vc.ready);
  }
  /// ST: the front flit, which has a credit, leaves its buffer in cycle `now`. True: it was the tail.
  /// A flit that did not ask for the switch left it `lead_cycles` before one that wins it now.
  bool traverse(InputVc& vc, Cycle now, Cycle lead_cycles = 0) {
    FlitSlot& front = vc.front();
    if (!vc.front_is_due()) out_of_order(now, vc, front);
    const std::uint32_t flit = front.identity();
    front.free(now + vc.credit_after);
    vc.pass_front();
    if (vc.told != 0) ends_[vc.port].in->tell_freed(now, vc);
    outputs_[vc.out_port].sender.send(now, now - lead_cycles, *vc.out, flit, vc.sequence);
    vc.flit_left(now);
    return FlitSlot::tail(flit);
  }
  /// The tail has left, or the packet is forgotten: its output virtual channel can be had.
  void release_output(InputVc& vc) {
    outputs_[vc.out_port].release(vc.out_vc);
    vc.finish();
  }
  /// Heads that are parked look again in the next cycle.
  void call_parked(Cycle now) {
    if (va_.any_parked() && unpark()) set_next(now + 1);
  }
  /// A flit of a purged packet is at the front.
  bool throw_away(InputVc& vc, Cycle now);
  /// The front flit is gone: the next one is looked at when it is there.
  void look_at_next(InputVc& vc, Cycle now);
  /// Between two cycles, of which `now` is the first: the front packet's state goes; its flits stay where
  /// they are.
  void forget(InputVc& vc, Cycle now);
  /// Lines of parked heads are busy. True if there were any.
  bool unpark();

  /// Prediction is for the heads of normal packets, while they do not stand.
  bool may_predict(const Packet& packet) const {
    return packet.packet_class == PacketClass::normal && !suspended_;
  }

  /// Route computation is over.
  void learn_route(const InputVc& vc, const Packet& packet) {
    if (packet.packet_class == PacketClass::normal)
      prediction_->learn(vc, packet.destination, va_.candidates(vc)->port);
  }

  // Heads that are late (late_heads.cpp).

  /// First in a cycle: heads whose time is over, and the look-up that the router runs.
  void begin_times(Cycle now) {
    if (recovers_ && timer_.next_look() <= now) recover_late_heads(now);
    if (routes_.runs_lookup()) routes_.run_lookup(now);
  }
  /// Last in a cycle.
  void end_times(Cycle now) {
    if (timer_.next_look() != never) look_for_late_heads(now);
    if (routes_.runs_lookup()) set_next(routes_.next_lookup_run(now));
  }
  /// First in a cycle: heads whose time is over go into recovery.
  void recover_late_heads(Cycle now);
  /// Last in a cycle: heads that are late are reported, where they do not recover.
  void look_for_late_heads(Cycle now);
  /// A head begins to wait here; it has not asked yet.
  void watch(const InputVc& vc, Packet& packet, Cycle now) {
    if (timer_.too_many(packet.hops) && !suspended_) report_hops(vc, packet, now);
    if (packet.packet_class == PacketClass::normal || !recovers_) {
      if (suspended_) tell(vc, HeadStage::standing, now);
      timer_.start(now);
    } else if (packet.packet_class == PacketClass::recovery && packet.tables != routes_.generation()) {
      change_tables(vc, packet, now);
    }
  }
  /// A head in recovery that has taken an output virtual channel keeps to the routing's proof, else
  /// ModelError.
  void check_recovery(const InputVc& vc, Cycle now) const;

  /// When an output moved last.
  struct PortUse {
    Cycle free_at = 0;  ///< the output takes the next flit
    std::uint8_t last_vc = 0;
  };
  /// The cycle from which the output takes the virtual channel's next flit. uses_ is not null.
  Cycle output_takes_at(const InputVc& vc) const {
    const PortUse& output = uses_[vc.out_port];
    return output.free_at + (output.last_vc != vc.out_vc ? config_.vc_change_cycles : 0);
  }

  /// As part "switch_allocator".
  virtual void add_switch_allocator(PartList& parts) const = 0;
  /// A packet that holds an output is forgotten: the driver's requests for it go.
  virtual void drop_requests(InputVc& vc) = 0;
  /// Lines that the next cycle is known to serve (approach).
  virtual std::uint64_t lines_to_serve() const = 0;

  [[noreturn]] void fail(Cycle now, PacketIndex packet, const std::string& what) const;
  /// ModelError unless the head waits for the granted virtual channel and the channel is free. Out of line,
  /// as every instruction of the inlined caller counts.
  [[gnu::cold]] void check_grant(const VcRequest& request, Cycle now) const;
  [[noreturn]] void out_of_order(Cycle now, const InputVc& vc, const FlitSlot& slot) const;

  struct Vcs {
    InputVc *first, *last;
    InputVc* begin() const { return first; }
    InputVc* end() const { return last; }
  };
  Vcs all_vcs() const { return {vcs_, vcs_ + line_count_}; }

  // In the order in which a cycle comes to them.
  Cycle next_ = never;
  ArrivalBoard board_;  ///< input virtual channels to look at; behind them the line of parked heads' credits
  InputVc* vcs_ = nullptr;
  OutputPort* outputs_ = nullptr;
  std::uint64_t parked_bit_ = 0;  ///< of the line behind all others, in the last word
  RouteComputation routes_;
  ProgressTimer timer_;
  const bool recovers_;  ///< heads that wait too long
  bool suspended_ = false;
  VcAllocation va_;
  RouterProbe* probe_ = nullptr;
  PacketPool& pool_;
  const VcRouterConfig& config_;
  PortUse* uses_ = nullptr;     ///< [port]; null: all outputs take a flit in every cycle
  RouterPort* ends_ = nullptr;  ///< per port
  RouterEvents* const events_;
  const graph::RouterId id_;
  const unsigned line_count_, port_count_;
  const bool words_pass_;  ///< by prediction
  RouterCounters counters_;
  ArenaPtr<Prediction> prediction_;  ///< null: nothing is predicted
  Alarm alarm_;

 private:
  class OutputRings;
  /// Abilities for FlitRouter, in a part: as bases of VcRouter they take 2 % to 4 % more instructions a flit.
  class Abilities final : public PurgingRouter,
                          public ReroutingRouter,
                          public SuspendingRouter,
                          public RecoveringRouter,
                          public TellingRouter,
                          public PredictingRouter {
   public:
    explicit Abilities(VcRouter& router) : router_(router) {}
    PurgedPart purge(PacketIndex packet, unsigned port, unsigned vc, Cycle now) override;
    void visit_holders(unsigned port, const std::function<void(const OutputHolder&)>& visit) const override;
    void route_again(unsigned port, unsigned vc, Cycle now) override;
    void route_all_again(Cycle now) override;
    void exchange_routing(const routing::RoutingView& view, Cycle now) override;
    std::uint32_t routing_generation() const override;
    void suspend(bool suspended, Cycle now) override;
    void visit_timeouts(Cycle now,
                        const std::function<void(unsigned port, unsigned vc)>& visit) const override;
    void set_probe(RouterProbe* probe) override;
    PredictionCounters prediction_counters() const override;
    PredictionCounters prediction_counters_at(unsigned port) const override;
    std::uint64_t predictor_bits() const override;

   private:
    VcRouter& router_;
  };
  /// A head that stands, with the time that it had waited before.
  struct Standing {
    PacketIndex packet = 0;
    Cycle waited_cycles = 0;
  };
  void stand(InputVc& vc, Cycle now);
  void resume(InputVc& vc, Cycle now);
  void report_hops(const InputVc& vc, Packet& packet, Cycle now);
  void begin_recovery(Packet& packet) const;
  void change_tables(const InputVc& vc, Packet& packet, Cycle now);
  bool waits_for_node(const InputVc& vc) const;
  /// Its head waits, and recovery begins when its time is over.
  bool may_time_out(const InputVc& vc) const;

  void add_ports(const std::vector<RouterPort>& ports);
  void show_credits();
  void no_route(const InputVc& vc, Cycle now);

  std::unique_ptr<Standing[]> standing_;  ///< [line]; null: no head has ever stood
  FlitSlot* slots_ = nullptr;             ///< [line][depth], all depths being equal
  std::uint32_t slots_bytes_ = 0;         ///< of a line
  Arena& arena_;
  ArenaPtr<OutputRings> rings_;  ///< for a routing that decides
  Abilities abilities_{*this};
};

/// The router with the driver that its configuration needs.
ArenaPtr<VcRouter> make_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                  const std::vector<RouterPort>& ports, const RouterParts& parts);

}  // namespace tsuji::router
