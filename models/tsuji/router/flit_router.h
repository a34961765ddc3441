// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/link/route_lookup.h"
#include "tsuji/router/prediction/predictor_kinds.h"
#include "tsuji/routing/routing_view.h"

// The interface of a router of any kind, off the path of a flit: flits come and go by the channels of its
// ports.

namespace tsuji::router {

/// A port as the router sees it: either channel may be missing.
struct RouterPort {
  FlitChannel* in = nullptr;
  FlitChannel* out = nullptr;
  bool to_node = false;
};

/// Reports of a router about packets that do not get on; everything else is in its counters.
class RouterEvents {
 public:
  virtual ~RouterEvents() = default;
  /// A head has waited block_timeout_cycles with no flit of its packet moving here. May ask the router to
  /// route it anew.
  virtual void on_blocked(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                          Cycle now) = 0;
  /// A head that has made more than hop_limit hops between routers begins here: it has not asked for its
  /// route yet, so its packet's class, changed now, is that of its question. Told again where it begins
  /// again.
  virtual void on_hop_limit(graph::RouterId /*router*/, unsigned /*port*/, unsigned /*vc*/,
                            PacketIndex /*packet*/, Cycle /*now*/) {}
  /// A head in recovery begins here that recovers by another generation of the routing than this router has
  /// (Packet::tables). True: by the router's own from now on. False: it keeps its generation, or is purged
  /// before the next cycle.
  virtual bool on_other_tables(graph::RouterId /*router*/, unsigned /*port*/, unsigned /*vc*/,
                               PacketIndex /*packet*/, Cycle /*now*/) {
    return true;
  }
  /// Nothing leads on for the packet whose head is at this input virtual channel: there is no route, or every
  /// candidate is down. It is to be purged before the next cycle.
  virtual void on_no_route(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                           Cycle now) = 0;
};

/// Stage in which a head at the front of its input virtual channel waits or is served. `crossing`: it goes by
/// prediction, without the stages before. `standing`: its router is suspended, and route computation begins,
/// once more perhaps, when that is over. `inside`: nobody sees its stages until it leaves (RTL). `none`: its
/// progress is forgotten, since it is purged or asks for its route anew.
enum class HeadStage : std::uint8_t {
  route_computation,
  vc_allocation,
  switch_allocation,
  crossing,
  standing,
  inside,
  none
};

/// The fate of a head's visit to a router that predicts, one of these each: it crossed at once; its guess
/// was wrong; a real request took the output; no virtual channel with a credit was at hand; its input was not
/// idle and empty; nothing was predicted.
enum class PredictionOutcome : std::uint8_t { hit, wrong, lost, no_room, not_idle, not_predicted };

/// Observer of a router: waveforms, packet records. Flits that come and go are the channels' to tell
/// (FlitProbe).
class RouterProbe {
 public:
  virtual ~RouterProbe() = default;
  /// A head enters a stage in cycle `at`: the present one or, where an output virtual channel was granted
  /// now, the one in which VA is over; `none`: the next one.
  virtual void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                        HeadStage stage, Cycle at) = 0;
  /// The fate of a head's visit to a router that predicts, for the cycle in which it shows.
  virtual void on_prediction(graph::RouterId /*router*/, unsigned /*port*/, unsigned /*vc*/,
                             PacketIndex /*packet*/, PredictionOutcome /*outcome*/, Cycle /*at*/) {}
};

/// Accounts of packets that routers make and end themselves: control messages. A router tells of them in the
/// cycle in which they happen.
class RouterPackets {
 public:
  virtual ~RouterPackets() = default;
  /// A packet of `flits` flits for router `to` is born at router `from`. Its flits lie in the router until it
  /// sends them, and are in its RouterCounters::flits_born from now on.
  virtual PacketIndex begin(graph::RouterId from, graph::RouterId to, unsigned flits, Cycle now) = 0;
  /// The last flit of a packet has come to the router that it is for, the first one in cycle `head`. Nothing
  /// is left of it, and the place in the pool is free.
  virtual void end(graph::RouterId at, PacketIndex packet, Cycle head, Cycle now) = 0;
};

struct PredictionCounters {
  static constexpr std::size_t outcomes = 6;
  std::array<std::uint64_t, outcomes> visits{};
  std::uint64_t kept_flits = 0;    ///< behind heads that hit, which crossed without asking for the switch
  std::uint64_t leaked_flits = 0;  ///< dead copies that have left after wrong guesses
  /// Of heads that hit: stages that they skipped, words that they did not wait for, and route computation as
  /// far as the router came to know its time.
  std::uint64_t saved_cycles = 0;

  PredictionCounters& operator+=(const PredictionCounters& other);
};

struct RouterCounters {
  std::uint64_t flits = 0;         ///< moved from an input to an output, leaked ones included: flit-hops
  std::uint64_t killed_flits = 0;  ///< of purged packets or leaked, thrown away here
  std::uint64_t timeouts = 0;
  std::uint64_t over_hop_limit = 0;  ///< RouterEvents::on_hop_limit
  /// Heads that were taken into recovery here: by the timeout, and by the hop limit.
  std::uint64_t recoveries = 0, recoveries_by_hops = 0;
  std::uint64_t flits_born = 0;   ///< of packets that this router has made, sent or not
  std::uint64_t flits_ended = 0;  ///< taken out of a channel at the end of their way, here
};

/// State of an input virtual channel, for reports and waveforms.
enum class VcState : std::uint8_t { idle, routing, waiting, active };

/// One input virtual channel as others may look at it.
struct VcView {
  VcState state = VcState::idle;
  PacketIndex packet = 0;
  unsigned out_port = 0, out_vc = 0;  ///< active
  bool has_flit = false;
  Cycle blocked_since = 0;  ///< last movement, or the head's arrival at the front
};

/// A packet that has begun to leave by an output and is not through.
struct OutputHolder {
  PacketIndex packet = 0;
  unsigned in_port = 0, in_vc = 0;
  unsigned out_vc = 0;
};

/// One input virtual channel's part in a packet that is purged.
struct PurgedPart {
  bool found = false;     ///< anything of the packet was here
  bool leads_on = false;  ///< its first flits have left by virtual channel out_vc of out_port
  unsigned out_port = 0, out_vc = 0;
};

// Abilities of some kinds of router, each a type that FlitRouter gives out. All of them act between two
// cycles.

/// Packets can be dropped.
class PurgingRouter {
 public:
  virtual ~PurgingRouter() = default;
  /// Forgets the part of a packet that came by an input virtual channel: its flits there are killed, the
  /// output that it holds is free, its question is cancelled.
  virtual PurgedPart purge(PacketIndex packet, unsigned port, unsigned vc, Cycle now) = 0;
  /// Calls visit(holder) for the packets that have begun to leave by output `port` and are not through; one
  /// that only holds a virtual channel there can still be rerouted.
  virtual void visit_holders(unsigned port, const std::function<void(const OutputHolder&)>& visit) const = 0;
};

/// Heads can be rerouted: links that fail, routes that change.
class ReroutingRouter {
 public:
  virtual ~ReroutingRouter() = default;
  /// A head that has not sent a flit yet requests its route again from the next cycle on.
  virtual void route_again(unsigned port, unsigned vc, Cycle now) = 0;
  /// Every head that has not sent a flit yet requests it again: a link went up or down.
  virtual void route_all_again(Cycle now) = 0;
  /// Heads read another routing from the next cycle on. Those without an output are rerouted; one that holds
  /// an output keeps it.
  virtual void exchange_routing(const routing::RoutingView& view, Cycle now) = 0;
  /// Generation of the routing in use.
  virtual std::uint32_t routing_generation() const = 0;
};

/// Heads can be suspended while tables change.
class SuspendingRouter {
 public:
  virtual ~SuspendingRouter() = default;
  /// From the next cycle on no normal packet's head is routed here, none is given an output, none begins
  /// recovery, and their timers stop; or they go on. Flits behind a head that has left follow it all the
  /// same, and so do packets in recovery and of control.
  virtual void suspend(bool suspended, Cycle now) = 0;
};

/// Heads are taken into recovery.
class RecoveringRouter {
 public:
  virtual ~RecoveringRouter() = default;
  /// Calls visit(port, vc) for the heads that begin recovery in cycle `now`, the second of the two, because
  /// their time is over.
  virtual void visit_timeouts(Cycle now,
                              const std::function<void(unsigned port, unsigned vc)>& visit) const = 0;
};

/// The stages of heads are reported to a probe.
class TellingRouter {
 public:
  virtual ~TellingRouter() = default;
  /// Null: nobody listens.
  virtual void set_probe(RouterProbe* probe) = 0;
  /// The probe gets HeadStage::inside of all heads, and no other stage.
  virtual bool hides_stages() const { return false; }
};

/// Outputs of heads are predicted.
class PredictingRouter {
 public:
  virtual ~PredictingRouter() = default;
  virtual PredictionCounters prediction_counters() const = 0;
  /// Those of the heads that come in by a port.
  virtual PredictionCounters prediction_counters_at(unsigned port) const = 0;
  /// Bits that its predictors remember.
  virtual std::uint64_t predictor_bits() const = 0;
};

/// A router of any kind, without a simulation kernel.
///
/// Contract of a router, once bind() has been called:
/// - Wake-ups: step(now) runs in the cycles for which the router was woken: by a channel, for a flit that has
///   come or a credit that it watches for (FlitChannel::watch_credit), or by itself (Waker::wake_at). Work
///   that is left needs a wake-up of its own.
/// - ArrivalBoard: bind() makes one with a line for each input virtual channel, for bind_receiver() and
///   bind_sender() of its channels. step() takes the board's row first (take()), and clears the lines that
///   have nothing more to do (busy()).
/// - Flits: a flit has come when FlitSlot::cycle() is not above `now`. FlitChannel::pop() frees its slot,
///   which is its credit. send() needs a credit (FlitRing::credit_at() not above `now`), and the next flit of
///   the packet that the output's virtual channel has begun, from head to tail.
/// - Routes: a head asks RouterParts::lookup once. A candidate can be used from the cycle that request()
///   returns; with `never` the answer comes to the RouteClient that the router has bound.
/// - Packet::hops: one more for each router that the head has come to, after it has asked.
/// - Counters: RouterCounters::flits has one more for each flit that is sent: flit_hops and the links' use.
/// - Flits that lie in the router and in no channel: visit_inside(), or the conservation check fails.
/// - last_event(): the watchdog takes a network in which nothing happens after it for a deadlock.
/// - Stages and abilities: its RouterKind says which it has (TellingRouter, PurgingRouter, ...), and
///   RouterTraits::reads which shared keys its routers read.
class FlitRouter : public Stepped {
 public:
  virtual graph::RouterId id() const = 0;
  virtual unsigned ports() const = 0;
  virtual const RouterPort& port(unsigned p) const = 0;
  /// Input virtual channels of a port.
  unsigned vcs(unsigned p) const { return port(p).in == nullptr ? 0 : port(p).in->vcs(); }

  /// Binds the channels of all ports to their receiver and sender: this router, woken as `self`. Once, before
  /// the first cycle.
  virtual void bind(const Waker& self) = 0;
  virtual RouterCounters counters() const = 0;
  /// The latest cycle in which a stage of this router ends or ended that a flit or an output is in, `now`
  /// while that is not known: nothing moves after it unless something comes.
  virtual Cycle last_event(Cycle now) const = 0;
  /// Calls visit(packet) for each flit that lies in the router and in none of its channels; flits of its own
  /// packets that it has not sent, too.
  virtual void visit_inside(const std::function<void(PacketIndex)>& /*visit*/) const {}
  /// Calls visit(packet) for each flit in the buffer of an input that has left by an output all the same: the
  /// router does not know yet whether it may forget it.
  virtual void visit_held_twice(const std::function<void(PacketIndex)>& /*visit*/) const {}

  /// Without stages of its own a router shows what lies at the front of a buffer.
  virtual VcView view(unsigned p, unsigned vc) const;
  /// The candidates of a waiting head.
  virtual std::vector<routing::RouteCandidate> candidates(unsigned /*p*/, unsigned /*vc*/) const {
    return {};
  }

  /// The hardware, with paper and section, one line; empty: it says nothing.
  virtual std::string stands_for() const { return ""; }
  /// Its parts, for lists of a module's hierarchy.
  virtual void add_parts(PartList& /*parts*/) const {}

  // Abilities; null: a router has none. Its kind says so before it is made (RouterKind).

  virtual PurgingRouter* purging() { return nullptr; }
  virtual ReroutingRouter* rerouting() { return nullptr; }
  virtual SuspendingRouter* suspending() { return nullptr; }
  virtual TellingRouter* telling() { return nullptr; }
  virtual const RecoveringRouter* recovering() const { return nullptr; }
  virtual const PredictingRouter* predicting() const { return nullptr; }
};

[[noreturn]] void lacks(const FlitRouter& router, Cycle now, const char* what);
/// An ability that a router must have here. ModelError with the router and the cycle if it has none.
template <class Ability>
Ability& needed(const FlitRouter& router, Ability* ability, Cycle now, const char* what) {
  if (ability == nullptr) lacks(router, now, what);
  return *ability;
}
/// Parts of a router beside its ports.
struct RouterParts {
  PacketPool& pool;
  RouteLookup& lookup;
  RouterEvents* events = nullptr;    ///< null: a packet without a route is a ModelError
  unsigned max_candidates = 1;       ///< candidates that the lookup gives at most
  std::uint64_t seed = 1;            ///< of the packets' random numbers
  Arena* arena = nullptr;            ///< memory of its buffers and tables; null: one of its own
  RouterPackets* packets = nullptr;  ///< accounts of those that it makes itself; null: it makes none
  /// For a router that predicts by one: the output port of each input, or `no_port`.
  std::function<std::vector<unsigned>(graph::RouterId id, PredictorTable table)> predictor_table = {};
  /// Behind the look-up, for a router that must know a route before the look-up has answered, or takes heads
  /// into recovery.
  const routing::Routing* routing = nullptr;
};

/// A kind of router: how one is made, and what all of them can do, on which a network is refused before it
/// runs.
struct RouterKind {
  const char* name = "";
  bool purges = false;         ///< packets can be dropped: links that fail, heads without a route
  bool routes_again = false;   ///< links that fail, routes that change
  bool tells_stages = false;   ///< to a RouterProbe: waveforms, packet records
  bool hides_stages = false;   ///< with tells_stages: of some heads it tells HeadStage::inside alone
  bool shows_credits = false;  ///< to a routing that decides (RouteDecisions)
  bool recovers = false;       ///< heads are taken into recovery: Routing::recovery()
  bool suspends = false;       ///< heads stand while tables change, with a look-up that is not asked directly
  /// The least time from a decision to the output's wires; 0: not stated, and nothing runs ahead
  /// (ClockDomain::run_groups).
  Cycle departs_after_cycles = 0;
  /// It acts upon flits so long before their first word has come.
  Cycle acts_early_cycles = 0;
  /// In the arena of `parts`, which is not null.
  std::function<ArenaPtr<FlitRouter>(graph::RouterId id, const std::vector<RouterPort>& ports,
                                     const RouterParts& parts)>
      make;
};

}  // namespace tsuji::router
