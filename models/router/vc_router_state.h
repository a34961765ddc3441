#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/progress_timer.h"
#include "tsuji/router/route_computation.h"
#include "tsuji/router/switch_allocator.h"
#include "tsuji/router/vc_allocator.h"

namespace tsuji::router {

/// The decisions of an input-buffered virtual-channel router, without a simulation kernel: a test calls
/// advance() for every cycle in which something may happen.
///
/// A head at the front of its virtual channel goes through route computation (RouteLookup's time), waits for
/// an output virtual channel (VA), and then each flit for itself for the switch (SA) and a credit. A flit
/// that wins in cycle s leaves its buffer in s, whose credit the sender sees later, and is on the output's
/// wires sa + st cycles after s. A tail frees its output virtual channel for the next cycle's VA.
///
/// Invariant: flits in = flits out + flits held + flits killed; every flit of a packet follows its head in
/// order (checked for every flit, ModelError).
class VcRouterState final : public FlitRouter, public RouteClient {
 public:
  VcRouterState(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
                const RouterParts& parts);
  VcRouterState(const VcRouterState&) = delete;
  VcRouterState& operator=(const VcRouterState&) = delete;
  ~VcRouterState() override;

  void bind(const Waker& self) override;

  /// One cycle. Returns the next cycle in which the router has something to do by itself, `never` if only
  /// arrivals and credits can give it work.
  Cycle advance(Cycle now);
  /// The same, and sees to being woken then.
  void step(Cycle now) override;
  void approach(Cycle now, unsigned stage) const override;

  void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& ways) override;

  bool purge(PacketIndex packet, Cycle now) override;
  void route_again(unsigned port, unsigned vc, Cycle now) override;
  void route_all_again(Cycle now) override;
  void visit_holders(unsigned port, const std::function<void(PacketIndex)>& visit) const override;
  Cycle last_event(Cycle now) const override;
  RouterCounters counters() const override;
  unsigned ports() const override { return port_count_; }
  VcView view(unsigned port, unsigned vc) const override;
  const RouterPort& port(unsigned p) const override { return ends_[p]; }
  std::vector<routing::RouteCandidate> ways(unsigned port, unsigned vc) const override;
  graph::RouterId id() const override { return id_; }
  void set_probe(RouterProbe* probe) override { probe_ = probe; }

 private:
  /// One input virtual channel with its buffer: one line of the processor's cache, and the slots.
  struct alignas(64) InputVc : FlitRing {
    FlitRing* out = nullptr;  ///< active: the buffer at the far end
    Cycle ready = 0;          ///< routing: the answer's time, `never` if open; active: SA may begin
    Cycle since = 0;          ///< blocked since
    PacketIndex packet = 0;
    std::uint16_t sequence = 0;  ///< of the next flit
    std::uint16_t number = 0;    ///< among all inputs
    std::uint8_t port = 0;
    std::uint8_t out_port = 0, out_vc = 0;
    std::uint8_t ways = 0;  ///< candidates of the front head
    VcState state = VcState::idle;
    bool reported = false;  ///< as blocked
  };
  static_assert(sizeof(InputVc) == 64);
  /// What every flit that leaves by a port needs, in one line of the processor's cache.
  struct alignas(64) Port {
    FlitSender sender;
    std::uint16_t free_vcs = 0;  ///< output virtual channels that no packet holds
    std::uint16_t all_vcs = 0;   ///< of the output; 0: there is none
    std::uint16_t first_in = 0;  ///< number of virtual channel 0 among all inputs
    std::uint8_t in_vcs = 0;
    bool to_node = false;
  };
  static_assert(sizeof(Port) == 64);
  /// When an output moved last, for those who look at it (careful_).
  struct PortUse {
    Cycle free_at = 0;  ///< the output takes the next flit
    std::uint8_t last_vc = 0;
  };

  void set_next(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  bool requesting(unsigned v) const { return (requesting_[v / 64] >> (v % 64) & 1U) != 0; }
  void set_requesting(unsigned v) { requesting_[v / 64] |= std::uint64_t{1} << (v % 64); }
  void clear_requesting(unsigned v) { requesting_[v / 64] &= ~(std::uint64_t{1} << (v % 64)); }
  template <bool plain>
  void request_switch(const InputVc& vc) {
    set_requesting(plain ? vc.bit : vc.number);
    if (plain || by_lines_) return sa_->request_line(vc.bit, vc.out_port);
    sa_->request(crossbar_input(vc), vc.out_port, vc.vc);
  }
  template <bool plain>
  void withdraw(const InputVc& vc) {
    clear_requesting(plain ? vc.bit : vc.number);
    if (plain || by_lines_) return sa_->withdraw_line(vc.bit, vc.out_port);
    sa_->withdraw(crossbar_input(vc), vc.out_port, vc.vc);
  }
  unsigned crossbar_input(const InputVc& vc) const {
    const unsigned speedup = config_.input_speedup;
    return speedup == 1 ? vc.port : vc.port * speedup + vc.vc % speedup;
  }
  static RouteComputation::Input route_input(const InputVc& vc) { return {vc.number, vc.port, vc.vc}; }
  FlitSender& sender_of(const InputVc& vc) const { return ports_[vc.out_port].sender; }
  void tell(const InputVc& vc, HeadStage stage, Cycle at) {
    if (probe_ != nullptr) probe_->on_stage(id_, vc.port, vc.vc, vc.packet, stage, at);
  }

  struct Vcs {
    InputVc *first, *last;
    InputVc* begin() const { return first; }
    InputVc* end() const { return last; }
  };
  Vcs all_vcs() const { return {vcs_, vcs_ + vc_count_}; }
  struct Ports {
    Port *first, *last;
    Port* begin() const { return first; }
    Port* end() const { return last; }
  };
  Ports all_ports() const { return {ports_, ports_ + port_count_}; }
  static unsigned count_vcs(const std::vector<RouterPort>& ports);
  void add_ports(const std::vector<RouterPort>& ports);
  void add_allocators(const std::vector<RouterPort>& ports, unsigned most_vcs);
  // plain: known to be plain_, which saves asking for each of its parts.
  template <bool plain>
  Cycle run_cycle(Cycle now);
  [[gnu::noinline]] Cycle run_cycle_of_any(Cycle now);

  // What a busy virtual channel does in a cycle. False: nothing until something comes that makes it busy
  // again.
  template <bool plain>
  bool visit(InputVc& vc, Cycle now);
  bool throw_away(InputVc& vc, Cycle now);
  [[gnu::noinline]] bool begin(InputVc& vc, const FlitSlot& front, Cycle now);
  bool await_way(InputVc& vc, Cycle now);
  bool want_output(InputVc& vc, Cycle now);
  bool choose_output(InputVc& vc, Cycle now);
  template <bool plain>
  bool want_switch(InputVc& vc, Cycle now);

  void note_use(const InputVc& vc, Cycle now);
  void keep_ways(InputVc& vc, const routing::RouteSet& ways);
  void keep_way(const routing::RouteCandidate& way, routing::RouteCandidate& place) const;
  bool whole_packet_here(const InputVc& vc, Cycle now) const;
  struct Outputs;
  bool await_credits(const InputVc& vc, const Outputs& outputs);
  const routing::RouteCandidate* ways_of(const InputVc& vc) const { return ways_ + vc.number * max_ways_; }
  void allocate_vcs(Cycle now);
  bool wants_switch_next(InputVc& vc, Cycle now);
  [[gnu::noinline]] void serve_carefully(Cycle now);
  template <bool plain>
  void look_at_word(unsigned w, Cycle now);
  [[gnu::noinline]] void look_at_words(Cycle now);
  void take_output(InputVc& vc, unsigned port, unsigned out_vc, Cycle ready);
  template <bool careful>
  bool move(InputVc& vc, Cycle now);
  template <bool plain, bool careful>
  void serve_grants(Cycle now);
  void request_again(Cycle now);
  void look_at_next(InputVc& vc, Cycle now);
  void release_output(InputVc& vc);
  bool unpark();
  void check_timeouts(Cycle now);
  void forget(InputVc& vc, Cycle now);
  [[noreturn]] void fail(Cycle now, PacketIndex packet, const std::string& what) const;
  [[noreturn]] void no_output(Cycle now, const InputVc& vc, const routing::RouteCandidate& way) const;
  [[noreturn]] void out_of_order(Cycle now, const InputVc& vc, const FlitSlot& slot) const;

  // In the order in which a cycle comes to them.
  Cycle next_ = never;
  ArrivalBoard board_;         ///< input virtual channels to look at; behind them the retry line
  std::uint64_t* requesting_;  ///< input virtual channels whose switch requests stand
  InputVc* vcs_ = nullptr;
  Port* ports_ = nullptr;
  FlitSlot* slots_ = nullptr;      ///< [input vc][depth], all depths being equal
  std::uint32_t slots_bytes_ = 0;  ///< of an input virtual channel
  ArenaPtr<SwitchAllocator> sa_;
  ArenaPtr<VcAllocator> va_;
  InputVc** first_of_ = nullptr;  ///< per crossbar input: its port's virtual channel 0; unless by_lines_
  std::uint64_t retry_bit_ = 0;
  std::uint32_t parked_count_ = 0;
  /// Requests stand until they are granted; false where an output may be busy or in a bubble, so that
  /// requests are made anew each cycle.
  bool standing_ = true;
  /// Somebody looks at when ports moved last: outputs that are busy, early questions.
  bool careful_ = false;
  /// A head that begins may have to wait for its tail, is timed, or has asked before.
  bool careful_begin_ = false;
  /// None of those below, no timeouts, and all input virtual channels are lines of one word.
  bool plain_ = false;
  bool by_lines_ = false;  ///< the switch allocator's lines are the input virtual channels
  bool joined_ = false;    ///< virtual-channel and switch allocation in one cycle
  bool wheel_ = false;     ///< the domain has a wheel of wake-ups
  bool plain_vcs_ = true;  ///< an output virtual channel is free as soon as nobody holds it
  ProgressTimer timer_;
  RouterProbe* probe_ = nullptr;
  Waker self_;
  std::unique_ptr<Arena> own_arena_;
  Arena& arena_;
  RouteComputation routes_;
  PacketPool& pool_;
  routing::RouteCandidate* ways_ = nullptr;  ///< [input vc][max_ways_]
  const unsigned max_ways_;
  const graph::RouterId id_;
  unsigned turn_ = 0;  ///< round-robin selection
  const std::uint64_t seed_;
  const VcRouterConfig& config_;
  RouterEvents* const events_;
  RouterPort* ends_ = nullptr;       ///< per port
  PortUse* uses_ = nullptr;          ///< per port, if careful_
  std::uint64_t* parked_ = nullptr;  ///< heads that wait for an output virtual channel
  unsigned vc_count_ = 0, port_count_ = 0;
  std::vector<std::uint16_t> requested_;  ///< in this cycle, where requests do not stand
  RouterCounters counters_;
};

}  // namespace tsuji::router
