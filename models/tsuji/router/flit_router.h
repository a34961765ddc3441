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
#include "tsuji/router/input_waits.h"
#include "tsuji/router/prediction/predictor_kinds.h"
#include "tsuji/routing/routing_view.h"

// Interface of a router of any kind, without its fast path: flits are passed through the channels of its
// ports.

namespace tsuji::router {

/// A port as the router sees it; either channel may be missing.
struct RouterPort {
  FlitChannel* in = nullptr;   ///< channel that ends at this port; null: none
  FlitChannel* out = nullptr;  ///< channel that begins at this port; null: none
  bool to_node = false;        ///< the port's channels connect the router with a node, not with a router
};

/// Listener of a router for packets that make no progress. Everything else is in the router's counters.
class RouterEvents {
 public:
  virtual ~RouterEvents() = default;
  /// A head has waited block_timeout_cycles while no flit of its packet moved here. The listener may call
  /// ReroutingRouter::route_again().
  virtual void on_blocked(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                          Cycle now) = 0;
  /// A head that has made more than hop_limit hops starts at this router and has not requested its route yet:
  /// if the listener changes the packet's class now, the request has the new class. Reported again if the
  /// head restarts (route_again).
  virtual void on_hop_limit(graph::RouterId /*router*/, unsigned /*port*/, unsigned /*vc*/,
                            PacketIndex /*packet*/, Cycle /*now*/) {}
  /// A head in recovery starts here whose routing generation (Packet::tables) differs from this router's.
  /// Returns true if the packet adopts the router's generation; false if it keeps its own or is purged before
  /// the next cycle.
  virtual bool on_other_tables(graph::RouterId /*router*/, unsigned /*port*/, unsigned /*vc*/,
                               PacketIndex /*packet*/, Cycle /*now*/) {
    return true;
  }
  /// The packet whose head is at this input virtual channel has no route, or all of its candidates use failed
  /// links. The listener has the packet purged before the next cycle.
  virtual void on_no_route(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                           Cycle now) = 0;
};

/// Stage of a head at the front of its input virtual channel.
///   crossing   leaves by prediction, without the allocation stages
///   standing   waits because its router is suspended; route computation starts (again) after resumption
///   inside     in a router without observable stages (RTL), until it leaves
///   none       its state was discarded, because it is purged or requests its route again
enum class HeadStage : std::uint8_t {
  route_computation,
  vc_allocation,
  switch_allocation,
  crossing,
  standing,
  inside,
  none
};

/// Outcome of a head's visit to a router with prediction; exactly one for each visit. hit: crossed at once.
/// wrong: mispredicted. lost: a real request took the output. no_room: no free virtual channel with a credit.
/// not_idle: the input was not idle and empty. not_predicted: the predictor named no output.
enum class PredictionOutcome : std::uint8_t { hit, wrong, lost, no_room, not_idle, not_predicted };

/// Observer of a router, for waveforms and packet records. Arriving and leaving flits are reported by the
/// channels (FlitProbe).
class RouterProbe {
 public:
  virtual ~RouterProbe() = default;
  /// A head enters a stage in cycle `at`: the current cycle; the end of VA if an output virtual channel was
  /// just granted; the next cycle for `none`.
  virtual void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                        HeadStage stage, Cycle at) = 0;
  /// Outcome of a head's visit to a router with prediction, in the cycle in which it becomes visible.
  virtual void on_prediction(graph::RouterId /*router*/, unsigned /*port*/, unsigned /*vc*/,
                             PacketIndex /*packet*/, PredictionOutcome /*outcome*/, Cycle /*at*/) {}
};

/// Accounting of packets that routers themselves create and consume (control messages). A router reports them
/// in the cycle in which they are created or consumed.
class RouterPackets {
 public:
  virtual ~RouterPackets() = default;
  /// Creates a packet of `flits` flits at router `from` for router `to`, and returns it. Its flits are in the
  /// router until they are sent; RouterCounters::flits_born counts them from now on.
  virtual PacketIndex begin(graph::RouterId from, graph::RouterId to, unsigned flits, Cycle now) = 0;
  /// The last flit of a packet has reached its destination router `at`, the first one in cycle `head`. The
  /// packet is returned to the pool.
  virtual void end(graph::RouterId at, PacketIndex packet, Cycle head, Cycle now) = 0;
};

/// Counters of output prediction in a router since the start of the simulation (metrics prediction_*).
struct PredictionCounters {
  static constexpr std::size_t outcomes = 6;     ///< number of values of PredictionOutcome
  std::array<std::uint64_t, outcomes> visits{};  ///< [PredictionOutcome]: visits of heads with that outcome
  std::uint64_t kept_flits = 0;    ///< flits after a head that hit, crossing without switch allocation
  std::uint64_t leaked_flits = 0;  ///< copies sent on after wrong guesses, which the next router drops
  /// Cycles saved by heads that hit: skipped stages, words not waited for, and route computation as far as
  /// its latency is known.
  std::uint64_t saved_cycles = 0;

  /// Adds the counters of another router or port.
  PredictionCounters& operator+=(const PredictionCounters& other);
};

/// Counters of a router since the start of the simulation, in flits or heads.
struct RouterCounters {
  /// Sent from an input to an output, leaked ones included; equals flit-hops.
  std::uint64_t flits = 0;
  std::uint64_t killed_flits = 0;    ///< discarded here: of purged packets, or leaked
  std::uint64_t timeouts = 0;        ///< times that a head was blocked too long (RouterEvents::on_blocked)
  std::uint64_t over_hop_limit = 0;  ///< heads reported by RouterEvents::on_hop_limit
  std::uint64_t recoveries = 0,      ///< heads taken into recovery here because of the timeout
      recoveries_by_hops = 0;        ///< heads taken into recovery here because of the hop limit
  std::uint64_t flits_born = 0;      ///< flits of packets that this router has created, sent or not
  std::uint64_t flits_ended = 0;     ///< flits of packets that this router has consumed
  std::uint64_t marks = 0;           ///< packets marked here (VcRouterConfig::mark_above_flits)

  /// Adds the counters of another router.
  RouterCounters& operator+=(const RouterCounters& other) {
    flits += other.flits;
    killed_flits += other.killed_flits;
    timeouts += other.timeouts;
    over_hop_limit += other.over_hop_limit;
    recoveries += other.recoveries;
    recoveries_by_hops += other.recoveries_by_hops;
    flits_born += other.flits_born;
    flits_ended += other.flits_ended;
    marks += other.marks;
    return *this;
  }
};

/// State of an input virtual channel (Dally and Towles: global state G), for reports and waveforms. waiting:
/// for an output virtual channel.
enum class VcState : std::uint8_t { idle, routing, waiting, active };

/// One input virtual channel, for reports.
struct VcView {
  VcState state = VcState::idle;  ///< global state (G) of the virtual channel
  PacketIndex packet = 0;         ///< packet of the flit at the front; valid unless idle
  unsigned out_port = 0,          ///< route (R): the output port, if active
      out_vc = 0;                 ///< output virtual channel (O), if active
  bool has_flit = false;          ///< the buffer holds a flit that has arrived
  Cycle blocked_since = 0;        ///< cycle of the last movement, or of the head's arrival at the front
};

/// Output of a port, for reports.
struct OutputState {
  unsigned vcs = 0;      ///< number of virtual channels; 0: the port has no output
  bool to_node = false;  ///< it leads to a node
  bool down = false;     ///< its link has failed
};

/// A packet of which some flits have left by an output, but not all.
struct OutputHolder {
  PacketIndex packet = 0;  ///< index of the packet in the PacketPool
  unsigned in_port = 0,    ///< port by which its flits come in
      in_vc = 0;           ///< virtual channel of that port
  unsigned out_vc = 0;     ///< virtual channel of the output that it holds
};

/// Result of purging a packet from one input virtual channel.
struct PurgedPart {
  bool found = false;     ///< the input virtual channel had a part of the packet
  bool leads_on = false;  ///< the packet's first flits have left on virtual channel out_vc of out_port
  unsigned out_port = 0,  ///< output port, with leads_on
      out_vc = 0;         ///< output virtual channel, with leads_on
};

// Abilities of some kinds of router, each a class that FlitRouter returns. All are used between two cycles,
// unless stated otherwise; `now` is the last cycle that has run.

/// Ability: packets can be purged.
class PurgingRouter {
 public:
  virtual ~PurgingRouter() = default;
  /// Discards what this input virtual channel has of a packet: its flits are marked as killed, its output is
  /// released, and its route request is cancelled.
  virtual PurgedPart purge(PacketIndex packet, unsigned port, unsigned vc, Cycle now) = 0;
  /// Calls visit(holder) for each packet of which some flits, but not all, have left by output `port`. A
  /// packet that only holds a virtual channel there can still be rerouted, and is not visited.
  virtual void visit_holders(unsigned port, const std::function<void(const OutputHolder&)>& visit) const = 0;
};

/// Ability: heads can be rerouted, for failed links and changing routes.
class ReroutingRouter {
 public:
  virtual ~ReroutingRouter() = default;
  /// Makes a head that has not sent a flit request its route again in the next cycle.
  virtual void route_again(unsigned port, unsigned vc, Cycle now) = 0;
  /// Makes all heads that have not sent a flit request their routes again: a link has failed or returned.
  virtual void route_all_again(Cycle now) = 0;
  /// Replaces the routing from the next cycle on. Heads without an output request their routes again; a head
  /// with an output keeps it.
  virtual void exchange_routing(const routing::RoutingView& view, Cycle now) = 0;
  /// Generation of the routing in use.
  virtual std::uint32_t routing_generation() const = 0;
};

/// Ability: heads can be suspended while tables change.
class SuspendingRouter {
 public:
  virtual ~SuspendingRouter() = default;
  /// Suspends or resumes the heads of normal packets from the next cycle on. While suspended they get no
  /// route, no output and no recovery, and their timers stop. Flits of packets whose head has left, packets
  /// in recovery and control packets continue.
  virtual void suspend(bool suspended, Cycle now) = 0;
};

/// Ability: heads are taken into recovery.
class RecoveringRouter {
 public:
  virtual ~RecoveringRouter() = default;
  /// Calls visit(port, vc) for the heads whose time is over, and which therefore begin recovery in cycle
  /// `now`. Called between cycles `now` - 1 and `now`.
  virtual void visit_timeouts(Cycle now,
                              const std::function<void(unsigned port, unsigned vc)>& visit) const = 0;
};

/// Ability: the stages of heads are reported to a probe.
class TellingRouter {
 public:
  virtual ~TellingRouter() = default;
  /// Sets the probe; null: none.
  virtual void set_probe(RouterProbe* probe) = 0;
  /// Returns true if the probe gets HeadStage::inside for all heads, and no other stage.
  virtual bool hides_stages() const { return false; }
};

/// Ability: the cycles of its input virtual channels are counted by state (RouterParts::counts_waits).
class CountingRouter {
 public:
  virtual ~CountingRouter() = default;
  /// Counts the cycles before `end`, of what is going on as well, and adds all input virtual channels to
  /// `sum`. Returns the number of flits in their buffers and on the way to them.
  virtual std::uint64_t add_waits(Cycle end, InputWaits::Sum& sum) = 0;
  /// Cycles of an input virtual channel before `end`, the end of the last add_waits().
  virtual StateCycles waits(unsigned port, unsigned vc, Cycle end) const = 0;
};

/// Ability: outputs of heads are predicted.
class PredictingRouter {
 public:
  virtual ~PredictingRouter() = default;
  /// Counters of all heads of this router.
  virtual PredictionCounters prediction_counters() const = 0;
  /// Counters of the heads that come in by a port.
  virtual PredictionCounters prediction_counters_at(unsigned port) const = 0;
  /// Number of state bits of its predictors in hardware.
  virtual std::uint64_t predictor_bits() const = 0;
};

/// A router of any kind, without a simulation kernel.
///
/// Contract of a router, once bind() has been called:
/// - Wake-ups: step(now) runs in the cycles for which the router was woken: by a channel, for a flit that has
///   arrived or a credit that the router watches (FlitChannel::watch_credit), or by itself (Waker::wake_at).
///   A router with work left wakes itself.
/// - ArrivalCalendar: bind() creates one with an event bit for each input virtual channel, for
/// bind_receiver()
///   and bind_sender() of its channels. step() first takes the row of the cycle (take()), and clears the bits
///   of inputs without further work (busy()).
/// - Flits: a flit has arrived when FlitSlot::cycle() is at most `now`. FlitChannel::pop() frees its slot,
///   which returns the credit. send() needs a credit (FlitRing::credit_at() at most `now`), and sends the
///   flits of a packet in order, from head to tail, without those of another packet between them on one
///   virtual channel.
/// - Routes: a head makes one request to RouterParts::lookup. A candidate can be used from the cycle that
///   request() returns; after `never` the answer comes to the RouteClient that the router has bound.
/// - Packet::hops: incremented once for each router that the head reaches, after its request.
/// - Counters: RouterCounters::flits counts each flit sent; flit_hops and the utilization of links rely on
///   it.
/// - visit_inside() visits flits that are in the router and in no channel; the conservation check relies on
///   it.
/// - last_event(): the watchdog reports a deadlock if nothing happens after it.
/// - Abilities and stages: RouterKind states in advance which abilities its routers have (TellingRouter,
///   PurgingRouter, ...), and RouterTraits::reads which shared keys they read.
class FlitRouter : public Stepped {
 public:
  /// The router's number in its topology.
  virtual graph::RouterId id() const = 0;
  /// Number of ports, those to nodes included.
  virtual unsigned ports() const = 0;
  /// Channels of port `p`, 0 .. ports() - 1; not checked.
  virtual const RouterPort& port(unsigned p) const = 0;
  /// Input virtual channels of a port.
  virtual unsigned vcs(unsigned p) const { return port(p).in == nullptr ? 0 : port(p).in->vcs(); }
  /// Output of a port.
  virtual OutputState output(unsigned p) const;
  /// Free places in the buffer at the far end of an output virtual channel: credits here and on their way.
  virtual unsigned room(unsigned p, unsigned vc) const { return port(p).out->ring(vc).credits(never); }

  /// Queue of an output, as routing::NetworkQueues defines it, at the end of the cycle before `now`. Called
  /// between two cycles, of routers with RouterKind::shows_queues only.
  virtual unsigned queue(unsigned p, Cycle now);

  /// Binds the channels of all ports; this router, woken by `self`, is their receiver and sender. Called
  /// once, before the first cycle.
  virtual void bind(const Waker& self) = 0;
  /// Counters since the start of the simulation.
  virtual RouterCounters counters() const = 0;
  /// Latest cycle in which a stage ends that a flit or an output is in; `now` if that is not known yet.
  /// Without arrivals nothing happens in the router after that cycle.
  virtual Cycle last_event(Cycle now) const = 0;
  /// Calls visit(packet) for each flit that is in the router and in none of its channels, including flits of
  /// the router's own packets that it has not sent.
  virtual void visit_inside(const std::function<void(PacketIndex)>& /*visit*/) const {}
  /// Calls visit(packet) for each flit in an input buffer of which a copy has already left by an output,
  /// because the router does not know yet whether the copy was sent correctly.
  virtual void visit_held_twice(const std::function<void(PacketIndex)>& /*visit*/) const {}

  /// State of an input virtual channel. A router without observable stages reports the flit at the front.
  virtual VcView view(unsigned p, unsigned vc) const;
  /// Route candidates of a head that waits for an output virtual channel.
  virtual std::vector<routing::RouteCandidate> candidates(unsigned /*p*/, unsigned /*vc*/) const {
    return {};
  }

  /// The modelled hardware in one line, with paper and section; may be empty.
  virtual std::string stands_for() const { return ""; }
  /// Adds the router's parts to the list of its module's parts.
  virtual void add_parts(PartList& /*parts*/) const {}

  // Abilities; null if the router does not have one. RouterKind states them before a router is created.

  /// Ability to purge packets (RouterKind::purges); null: none.
  virtual PurgingRouter* purging() { return nullptr; }
  /// Ability to reroute heads (RouterKind::routes_again); null: none.
  virtual ReroutingRouter* rerouting() { return nullptr; }
  /// Ability to suspend heads (RouterKind::suspends); null: none.
  virtual SuspendingRouter* suspending() { return nullptr; }
  /// Ability to report the stages of heads (RouterKind::tells_stages); null: none.
  virtual TellingRouter* telling() { return nullptr; }
  /// Ability to count states (RouterKind::counts_waits); null: none, or RouterParts::counts_waits is not set.
  virtual CountingRouter* counting() { return nullptr; }
  /// Ability to take heads into recovery (RouterKind::recovers); null: none.
  virtual const RecoveringRouter* recovering() const { return nullptr; }
  /// Ability to predict the outputs of heads; null: none, or prediction is off.
  virtual const PredictingRouter* predicting() const { return nullptr; }
};

/// Throws ModelError with router and cycle: routers of this kind cannot do `what` ("purge packets").
[[noreturn]] void lacks(const FlitRouter& router, Cycle now, const char* what);
/// Returns an ability that the router must have at this point. ModelError with router and cycle if it is
/// null.
template <class Ability>
Ability& needed(const FlitRouter& router, Ability* ability, Cycle now, const char* what) {
  if (ability == nullptr) lacks(router, now, what);
  return *ability;
}
/// Parts of a router in addition to its ports.
struct RouterParts {
  PacketPool& pool;                  ///< packets of the network; outlives the router
  RouteLookup& lookup;               ///< route computation; outlives the router
  RouterEvents* events = nullptr;    ///< null: a packet without a route is a ModelError
  unsigned max_candidates = 1;       ///< largest number of candidates that the lookup returns
  std::uint64_t seed = 1;            ///< seed of the packets' random numbers
  Arena* arena = nullptr;            ///< memory of its buffers and tables; null: a separate arena
  RouterPackets* packets = nullptr;  ///< accounting of packets that it creates itself; null: it creates none
  /// Predictor table of a router: the predicted output port of each input port, or `no_port`.
  std::function<std::vector<unsigned>(graph::RouterId id, PredictorTable table)> predictor_table = {};
  /// The routing algorithm of the look-up, for routers that must know a route before the look-up has
  /// answered, or that take heads into recovery.
  const routing::Routing* routing = nullptr;
  bool counts_waits = false;  ///< the router counts the cycles of its input virtual channels (CountingRouter)
  bool links_fail = false;    ///< with counts_waits: links may fail during the run
  /// Queues of all routers, for a routing that reads them (RouteDecisions::reads_network()); else null.
  const routing::NetworkQueues* queues = nullptr;
};

/// A kind of router: a factory, and the common abilities of its routers. A network that needs a missing
/// ability is refused before it runs.
struct RouterKind {
  const char* name = "";       ///< noun for its routers in messages
  bool purges = false;         ///< packets can be purged: failed links, heads without a route
  bool routes_again = false;   ///< heads can be rerouted: failed links, changing routes
  bool tells_stages = false;   ///< reports stages to a RouterProbe: waveforms, packet records
  bool hides_stages = false;   ///< with tells_stages: reports HeadStage::inside only
  bool counts_waits = false;   ///< counts cycles by state on request: RouterParts::counts_waits
  bool shows_credits = false;  ///< provides credit counts to a routing that decides by them (RouteDecisions)
  bool shows_queues = false;   ///< has FlitRouter::queue(), and passes RouterParts::queues to such a routing
  bool recovers = false;       ///< takes heads into recovery: Routing::recovery()
  bool marks = false;          ///< marks packets: VcRouterConfig::mark_above_flits
  /// Heads can be suspended while tables change; needs a look-up with direct_routing().
  bool suspends = false;
  /// Least number of cycles from a decision to the output's wires (lookahead for ClockDomain::run_groups); 0:
  /// not stated, then there is no lookahead.
  Cycle departs_after_cycles = 0;
  /// Number of cycles by which it acts on a flit before the first word has arrived.
  Cycle acts_early_cycles = 0;
  /// Creates a router in the arena of `parts`, which is not null.
  std::function<ArenaPtr<FlitRouter>(graph::RouterId id, const std::vector<RouterPort>& ports,
                                     const RouterParts& parts)>
      make;
};

}  // namespace tsuji::router
