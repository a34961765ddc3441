// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/input_waits.h"
#include "tsuji/router/progress_timer.h"
#include "tsuji/router/route_computation.h"
#include "tsuji/router/vc/input_vc.h"
#include "tsuji/router/vc/output_port.h"
#include "tsuji/router/vc/prediction.h"
#include "tsuji/router/vc/vc_allocation.h"
#include "tsuji/router/vc/waiting_flits.h"

namespace tsuji::router {

/// Input-buffered virtual-channel router (Dally and Towles, chapter 16) without a simulation kernel: its
/// parts, its pipeline stages, and all operations between two cycles. A derived class, the driver, decides
/// which input virtual channels are examined and runs the stages of a cycle.
///
///     RC  --> VA  --> SA  --> ST  --> link       head: all stages
///             (body flits) SA --> ST --> link    body and tail: SA and ST, on the output VC of their head
///
/// RC takes the time of the RouteLookup. A flit that wins the switch in cycle s leaves its buffer in s, which
/// returns its credit, and is on the output's wires in s + sa_cycles + st_cycles. When a tail leaves, its
/// output virtual channel takes part in the VA of the next cycle.
///
/// A driver runs a cycle in this order:
///   begin_times()                       heads whose time is over; the look-up, if the router runs it
///   Prediction::begin()                 with prediction
///   examine inputs with events          start_route_computation(), await_route(), request_vc(): RC, and
///                                       requests for VA
///   Prediction::settle()                with prediction: tries cross, or make normal requests
///   allocate_vcs_with()                 VA, already here if va_cycles is 0
///   switch allocation, traverse_switch()  SA and ST
///   allocate_vcs_with()                 VA, otherwise
///   end_times()
///
/// Between two cycles (network/network_supervisor.h) no module runs, so the order of modules does not matter:
///
///     cycle now               half a cycle later                      cycle now + 1
///     modules step, and       purge(), route_again(),                 killed flits are discarded, and heads
///     report events           exchange_routing(), suspend(),          whose state was discarded start again
///     (RouterEvents)          FlitChannel::kill(), set_down()         with their route requests
///
/// These functions discard the state of packets (forget()) and wake the router for cycle now + 1.
///
/// Invariant: flits in = flits out + flits held + flits killed; the flits of a packet leave in order (checked
/// for every flit, ModelError).
class VcRouter : public FlitRouter, public RouteClient {
 public:
  VcRouter(const VcRouter&) = delete;
  VcRouter& operator=(const VcRouter&) = delete;
  ~VcRouter() override;

  void bind(const Waker& self) override;

  /// Runs one cycle; for tests, which call it in every cycle in which something may happen. Returns the next
  /// cycle in which the router has work without an event; `never`: only arrivals and credits give it work.
  virtual Cycle advance(Cycle now) = 0;
  void approach(Cycle now, unsigned stage) const override;

  void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& routes) override;

  std::string stands_for() const override;
  void add_parts(PartList& parts) const override;

  PurgingRouter* purging() override { return &abilities_; }
  ReroutingRouter* rerouting() override { return &abilities_; }
  SuspendingRouter* suspending() override { return &abilities_; }
  TellingRouter* telling() override { return &abilities_; }
  CountingRouter* counting() override { return waits_ == nullptr ? nullptr : &abilities_; }
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
  unsigned queue(unsigned p, Cycle now) override;
  unsigned ports() const override { return port_count_; }
  VcView view(unsigned port, unsigned vc) const override;
  const RouterPort& port(unsigned p) const override { return ends_[p]; }
  std::vector<routing::RouteCandidate> candidates(unsigned port, unsigned vc) const override;
  graph::RouterId id() const override { return id_; }
  void set_probe(RouterProbe* probe);
  std::uint64_t add_waits(Cycle end, InputWaits::Sum& sum);
  StateCycles waits(unsigned port, unsigned vc, Cycle end) const;
  PredictionCounters prediction_counters() const;
  PredictionCounters prediction_counters_at(unsigned port) const {
    return prediction_ == nullptr ? PredictionCounters{} : prediction_->counters(port);
  }

  /// Returns true if heads that wait too long are taken into recovery.
  static bool recovers(const RouterParts& parts) {
    return parts.routing != nullptr && parts.routing->recovery() != nullptr;
  }
  /// Number of event bits for the input virtual channels of all ports. There are gaps, since the bits of a
  /// port are in one word of 64.
  static unsigned count_input_vcs(const std::vector<RouterPort>& ports);

 protected:
  /// `every_flit`: the driver also examines flits after the front (ArrivalCalendar).
  VcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
           const RouterParts& parts, bool every_flit);

  void set_next(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  void tell(const InputVc& vc, HeadStage stage, Cycle at) {
    if (probe_ != nullptr) probe_->on_stage(id_, vc.port, vc.vc, vc.packet, stage, at);
  }
  /// Tells a stage that few heads have.
  void tell_rare(const InputVc& vc, HeadStage stage, Cycle at) {
    if (rare_probe_ != nullptr) rare_probe_->on_stage(id_, vc.port, vc.vc, vc.packet, stage, at);
  }
  static std::uint64_t bit(unsigned input_vc) { return std::uint64_t{1} << (input_vc % 64); }

  // Pipeline stages. Those that return bool return false if the input VC has no work until an event sets its
  // bit.

  /// The head at the front starts at this router.
  void start_route_computation(InputVc& vc, const FlitSlot& front, Cycle now) {
    vc.begin(front.packet(), now);
    tell(vc, HeadStage::route_computation, now);
  }
  /// The head's candidates are known: its flits wait for them.
  void expect_flits(const InputVc& vc, Packet& packet, Cycle now) {
    if (waiting_ == nullptr) return;
    if (config_.marks() && !packet.acknowledges) mark(vc, packet, now);
    waiting_->expect(vc, va_.candidates(vc), packet.flits, now);
  }
  /// The front flit leaves.
  void count_leaving(const InputVc& vc, Cycle now) {
    if (waiting_ != nullptr) waiting_->leave(vc, va_.candidates(vc), pool_.at(vc.packet).flits, now);
  }
  /// RC: returns true if the route of the head is known in cycle `now`; the head then waits for an output.
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
    if (has_route(vc, now)) return request_vc(vc, now);
    return vc.ready != never;  // otherwise the answer sets the bit
  }
  /// VA: the head requests an output virtual channel.
  bool request_vc(InputVc& vc, Cycle now) {
    Cycle again = never;
    const VcAllocation::Answer answer = va_.request(vc, now, again);
    if (answer == VcAllocation::Answer::requested) return true;
    if (answer == VcAllocation::Answer::no_route) no_route(vc, now);
    set_next(again);
    return again != never;
  }
  /// Result of examining the flit at the front.
  enum class Front : std::uint8_t {
    none,     ///< no work until an event sets the bit
    awaited,  ///< the bit remains set
    here      ///< run the pipeline stage of the packet
  };
  [[gnu::always_inline]] Front look_at_front(InputVc& vc, const FlitSlot& front, Cycle now) {
    if (!front.holds_flit()) return Front::none;
    // The sender requests a wake-up for that cycle, too; if the calendar does not reach it, the bit remains
    // set.
    if (front.cycle() > now)
      return calendar_.announce(vc.number, now, front.cycle()) ? Front::none : Front::awaited;
    if (front.killed()) return throw_away(vc, now) ? Front::awaited : Front::none;
    return Front::here;
  }
  /// VA of this cycle: calls granted(vc) for each head that has been allocated an output virtual channel; the
  /// others request again in the next cycle.
  template <class Granted>
  [[gnu::always_inline]] void allocate_vcs_with(Cycle now, const Granted& granted) {
    for (const VcRequest& request : va_.allocate()) {
      if (request.granted == VcRequest::nothing) {
        set_next(now + 1);
        continue;
      }
      InputVc& vc = vcs_[request.input_vc];
      if (va_.checks_grants()) check_grant(request, now);
      take_output_vc(vc, request, now);
      granted(vc);
    }
  }
  /// VA: allocates the granted output virtual channel to the head.
  void take_output_vc(InputVc& vc, const VcRequest& request, Cycle now) {
    OutputPort& output = outputs_[request.port];
    vc.hold(output.sender.ring(request.granted), request.port, request.granted, now + config_.va_cycles);
    output.take(request.granted);
    va_.taken();
    tell(vc, HeadStage::switch_allocation, vc.ready);
  }
  /// ST: the front flit, which has a credit, leaves its buffer in cycle `now`. Returns true for a tail. A
  /// flit that did not request the switch departs `lead_cycles` earlier than one that wins it now.
  [[gnu::always_inline]] bool traverse_switch(InputVc& vc, Cycle now, Cycle lead_cycles = 0) {
    FlitSlot& front = vc.front();
    if (!vc.front_is_due()) out_of_order(now, vc, front);
    const std::uint32_t flit = front.identity();
    if (__builtin_expect(vc.listeners == 0, 1)) {
      front.free(now + vc.credit_after);
      vc.pass_front();
    } else {
      leave_heard(vc, now);
    }
    outputs_[vc.out_port].sender.send(now, now - lead_cycles, *vc.out, flit, vc.sequence);
    vc.flit_left(now);
    return FlitSlot::tail(flit);
  }
  /// Releases the packet's output virtual channel, when the tail has left or the packet's state is discarded.
  void release_output_vc(InputVc& vc) {
    outputs_[vc.out_port].release(vc.out_vc);
    vc.finish();
  }
  /// Makes parked heads request again in the next cycle.
  void call_parked(Cycle now) {
    if (va_.any_parked() && unpark()) set_next(now + 1);
  }
  /// Discards the flit of a purged packet at the front. Returns true if another flit follows it.
  bool throw_away(InputVc& vc, Cycle now);
  /// The front flit has left: schedules an examination of the next one.
  void look_at_next(InputVc& vc, Cycle now);
  /// Discards the state of the front packet between two cycles, of which `now` is the first. Its flits remain
  /// in the buffer.
  void forget(InputVc& vc, Cycle now);
  /// Sets the bits of all parked heads. Returns true if there were any.
  bool unpark();

  /// Returns true for heads of normal packets, unless the router is suspended.
  bool may_predict(const Packet& packet) const {
    return packet.packet_class == PacketClass::normal && !suspended_;
  }

  /// Trains the predictor when route computation has ended.
  void learn_route(const InputVc& vc, const Packet& packet) {
    if (packet.packet_class == PacketClass::normal)
      prediction_->learn(vc, packet.destination, va_.candidates(vc)->port);
  }

  // Timeouts and hop limit (late_heads.cpp).

  /// First in a cycle: takes heads whose time is over into recovery, and runs the look-up if the router does
  /// that.
  void begin_times(Cycle now) {
    if (recovers_ && timer_.next_look() <= now) recover_late_heads(now);
    if (routes_.runs_lookup()) routes_.run_lookup(now);
  }
  /// Runs the timers and the look-up at the end of a cycle.
  void end_times(Cycle now) {
    if (timer_.next_look() != never) look_for_late_heads(now);
    if (routes_.runs_lookup()) set_next(routes_.next_lookup_run(now));
  }
  /// First in a cycle: takes heads whose time is over into recovery.
  void recover_late_heads(Cycle now);
  /// Last in a cycle: reports late heads, if they are not taken into recovery.
  void look_for_late_heads(Cycle now);
  /// A head starts to wait here and has not requested its route yet: checks its hops and starts its timer.
  void watch(const InputVc& vc, Packet& packet, Cycle now) {
    if (timer_.too_many(packet.hops) && !suspended_) report_hops(vc, packet, now);
    if (packet.packet_class == PacketClass::normal || !recovers_) {
      if (suspended_) tell_rare(vc, HeadStage::standing, now);
      timer_.start(now);
    } else if (packet.packet_class == PacketClass::recovery && packet.tables != routes_.generation()) {
      change_tables(vc, packet, now);
    }
  }
  /// ModelError if a head in recovery has been allocated an output virtual channel that violates the
  /// routing's proof of freedom from deadlock.
  void check_recovery(const InputVc& vc, Cycle now) const;

  /// Last use of an output port by a flit.
  struct PortUse {
    Cycle free_at = 0;  ///< first cycle in which the output accepts the next flit
    std::uint8_t last_vc = 0;
  };
  /// First cycle in which the output accepts the next flit of this packet. uses_ must not be null.
  Cycle output_takes_at(const InputVc& vc) const {
    const PortUse& output = uses_[vc.out_port];
    return output.free_at + (output.last_vc != vc.out_vc ? config_.vc_change_cycles : 0);
  }

  // Counting of states (counted_waits.cpp).

  /// The driver itself counts the stages that every head and flit passes. Called in its constructor.
  void driver_counts() {
    driver_counts_ = true;
    set_probe(nullptr);
  }
  /// The flit at the front, whose packet holds an output, leaves in cycle `now`.
  static void count_flit(InputWaits& waits, const InputVc& vc, Cycle now) {
    waits.leaves(
        now, [&] { return vc.front().cycle(); }, [&] { return vc.out->credit_at(); });
  }
  /// State of a head whose route is known.
  PortState waits_as(const InputVc& vc) const {
    return counts_rare_waits_ ? rare_wait(vc) : PortState::no_vc;
  }
  /// Counts the cycles before `until`, of what is going on as well.
  void settle_waits(const InputVc& vc, Cycle until) const;
  /// A flit is removed from the buffer that does not leave by the switch now.
  void count_unsent(const InputVc& vc, Cycle now);

  /// Adds the driver's switch allocator as part "switch_allocator".
  virtual void add_switch_allocator(PartList& parts) const = 0;
  /// Withdraws the driver's requests for a packet that holds an output and whose state is discarded.
  virtual void drop_requests(InputVc& vc) = 0;
  /// Mask of input VCs that are known to be served in the next cycle, for approach().
  virtual std::uint64_t vcs_to_serve() const = 0;

  [[noreturn]] void fail(Cycle now, PacketIndex packet, const std::string& what) const;
  /// ModelError unless the head waits for the granted virtual channel and the channel is free. Out of line,
  /// because each instruction in the inlined caller counts.
  [[gnu::cold]] void check_grant(const VcRequest& request, Cycle now) const;
  [[noreturn]] void out_of_order(Cycle now, const InputVc& vc, const FlitSlot& slot) const;

  InputVc& input_vc(unsigned port, unsigned vc) const { return vcs_[outputs_[port].first_in + vc]; }
  struct Vcs {
    InputVc *first, *last;
    InputVc* begin() const { return first; }
    InputVc* end() const { return last; }
  };
  Vcs all_vcs() const { return {vcs_, vcs_ + input_vc_count_}; }

  // Members in the order in which a cycle uses them.
  Cycle next_ = never;
  /// Event bits of the input virtual channels, and one more for credits of parked heads.
  ArrivalCalendar calendar_;
  InputVc* vcs_ = nullptr;
  OutputPort* outputs_ = nullptr;
  std::uint64_t parked_bit_ = 0;  ///< event bit for credits of parked heads, in the last word
  RouteComputation routes_;
  ProgressTimer timer_;
  const bool recovers_;  ///< heads that wait too long are taken into recovery
  bool suspended_ = false;
  VcAllocation va_;
  RouterProbe* probe_ = nullptr;
  PacketPool& pool_;
  const VcRouterConfig& config_;
  PortUse* uses_ = nullptr;     ///< [port]; null: all outputs accept a flit in every cycle
  RouterPort* ends_ = nullptr;  ///< [port]
  RouterEvents* const events_;
  const graph::RouterId id_;
  const unsigned input_vc_count_, port_count_;
  const bool words_pass_;  ///< words of predicted flits pass without being buffered
  RouterCounters counters_;
  ArenaPtr<Prediction> prediction_;  ///< null: no prediction
  Alarm alarm_;

 private:
  class OutputRings;
  /// Abilities for FlitRouter, in a member: as base classes of VcRouter they cost 2 % to 4 % more
  /// instructions per flit.
  class Abilities final : public PurgingRouter,
                          public ReroutingRouter,
                          public SuspendingRouter,
                          public RecoveringRouter,
                          public TellingRouter,
                          public CountingRouter,
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
    std::uint64_t add_waits(Cycle end, InputWaits::Sum& sum) override;
    StateCycles waits(unsigned port, unsigned vc, Cycle end) const override;
    PredictionCounters prediction_counters() const override;
    PredictionCounters prediction_counters_at(unsigned port) const override;
    std::uint64_t predictor_bits() const override;

   private:
    VcRouter& router_;
  };
  /// A head that waits because the router is suspended, with the time that it had waited before.
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
  /// Returns true if the head waits, and goes into recovery when its time is over.
  bool may_time_out(const InputVc& vc) const;

  /// Counts what the driver does not count itself, and calls the router's probe.
  class WaitProbe final : public RouterProbe {
   public:
    explicit WaitProbe(VcRouter& router) : router_(router) {}
    void set_behind(RouterProbe* probe) { behind_ = probe; }
    void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet, HeadStage stage,
                  Cycle at) override;
    void on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                       PredictionOutcome outcome, Cycle at) override;

   private:
    VcRouter& router_;
    RouterProbe* behind_ = nullptr;  ///< null: none
  };
  void begin_counting(bool links_fail);
  void hear_flits_leave();
  PortState rare_wait(const InputVc& vc) const;
  template <class Visit>
  void visit_inputs(const Visit& visit) const {
    for (unsigned p = 0; p < port_count_; ++p)
      for (unsigned v = 0; v < outputs_[p].in_vcs; ++v) visit(input_vc(p, v));
  }
  /// The front flit leaves a buffer with listeners.
  void leave_heard(InputVc& vc, Cycle now);

  void add_ports(const std::vector<RouterPort>& ports);
  void show_credits();
  void no_route(const InputVc& vc, Cycle now);
  void mark(const InputVc& vc, Packet& packet, Cycle now);

  std::unique_ptr<Standing[]> standing_;  ///< [input VC]; null: the router was never suspended
  FlitSlot* slots_ = nullptr;             ///< [input VC][depth], with equal depths
  std::uint32_t slots_bytes_ = 0;         ///< size of the slots of one input VC
  Arena& arena_;
  const routing::NetworkQueues* const queues_;  ///< null: no routing reads them
  ArenaPtr<WaitingFlits> waiting_;  ///< null: no routing reads them, and the router marks no packets
  ArenaPtr<OutputRings> rings_;  ///< state of the downstream buffers, for a routing that decides by credits
  Abilities abilities_{*this};
  RouterProbe* rare_probe_ = nullptr;      ///< probe_, or what counts before it
  std::unique_ptr<WaitProbe> wait_probe_;  ///< null: states are not counted
  bool driver_counts_ = false;
  bool counts_rare_waits_ = false;  ///< links fail, or heads go into recovery

 protected:
  InputWaits* waits_ = nullptr;  ///< [input VC]; null: states are not counted
};

/// Makes a virtual-channel router with the driver that its configuration needs. All drivers compute the same
/// in every cycle; the first ones take fewer instructions.
///
///     PacketVcRouter                   where passes_whole_packets() holds (packet_vc_router.cpp) and the
///                                        channels pass whole packets: router.switch_hold packet, no fault,
///                                        timeout or prediction, and nobody who sees flits
///     FastVcRouter<timed, predicts>    where suffices() holds (fast_vc_router.cpp), which means all of:
///                                        at most 63 input virtual channels; flits of one cycle on every
///                                        output; router.sa_allocator islip with one iteration,
///                                        va_input_arbiter vcs, input_speedup 1, va_cycles > 0, route_at
///                                        front, no store and forward; no prediction, or prediction.check
///                                        kill without prediction.serial and without a predictor that reads
///                                        the coming head
///         timed                          timeout, hop limit, recovery, vc_change_cycles, or a look-up that
///                                        the router runs
///         predicts                       prediction.kind is not none
///     FullVcRouter                     otherwise
///
/// With RouterParts::counts_waits, FastVcRouter is compiled once more, with the counting between its stages
/// (counting_vc_router.cpp), and the others count where they call probes.
ArenaPtr<VcRouter> make_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                  const std::vector<RouterPort>& ports, const RouterParts& parts);

}  // namespace tsuji::router
