// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/lookup/ported_table.h"
#include "tsuji/network/config/vc_network_config.h"
#include "tsuji/network/dense/head_watch.h"
#include "tsuji/network/dense/prediction.h"
#include "tsuji/network/dense/router_watch.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network::dense {

/// Condition for the allocation of a virtual channel that no packet holds: none, credits for the whole
/// packet, or all credits.
enum class Reallocation : std::uint8_t { released, packet_fits, all_credits_back };

/// Constants of all routers of a network.
struct RouterShared {
  const VcNetworkConfig& config;
  const routing::Routing& routing;
  PacketPool& pool;
  router::RouterEvents& events;
  const Slots& slots;
  Buffers buffers;
  HeadQueue* queues;  ///< of all virtual channels of the network
  std::uint64_t seed = 1;
  Cycle rc_cycles = 1, va_cycles = 1, depart_after = 0;
  unsigned max_candidates = 1;
  Reallocation reallocation = Reallocation::released;
  bool may_be_watched = false;        ///< routers have memory for what a watch needs
  bool counts_waits = false;          ///< routers count the states of their input virtual channels
  HeadWatch* const* watch = nullptr;  ///< [thread]; null: none
  const routing::RouteDecisions* decisions = nullptr;  ///< of `routing`; null: it decides nothing

  bool predicts = false;       ///< routers have a Prediction
  bool timed = false;          ///< routers have Times; then they do not predict
  bool recovers = false;       ///< heads that wait too long are taken into recovery
  bool reads_table = false;    ///< some heads' routes are read from a table (Routing::table_reads)
  bool looks_up = false;       ///< routes come from look-up hardware, at known times; then routers have Times
  bool only_looks_up = false;  ///< routers have Times for nothing else
  /// The switch is held by packets that fit whole into a buffer (router::passes_whole_packets): routers and
  /// nodes send one message for a packet, in the cycle of its head, and one for its credits. In routers of
  /// Bits that are not watched, do not count and do not predict.
  bool passes_whole = false;

  /// Additions to a router's cycle: bits. `plain`: stages of one cycle; without `whole`, they allocate a
  /// virtual channel as soon as its packet has left it. `looks`: in place of `times`, for look-up hardware
  /// alone.
  enum More : unsigned {
    shows = 1,
    counts = 2,
    decides = 4,
    predicts_too = 8,
    plain = 16,
    times = 32,
    whole = 64,
    looks = 128,
    all_more = 256
  };
  unsigned more() const {
    const unsigned all = (watch != nullptr ? shows : 0U) | (counts_waits ? counts : 0U) |
                         (decisions != nullptr ? decides : 0U) | (predicts ? predicts_too : 0U) |
                         (timed ? (only_looks_up ? looks : times) : 0U) | (passes_whole ? whole : 0U);
    const bool is_plain =
        rc_cycles == 1 && va_cycles == 1 && (passes_whole || reallocation == Reallocation::released);
    return is_plain ? all | plain : all;
  }
  /// more() of the compiled cycle that these routers run: only frequent additions are compiled with `plain`.
  /// `shows`, which may end during a run, does not decide whether RC comes after VA (routes_last).
  static constexpr unsigned own_more(unsigned more) {
    if ((more & whole) != 0) return more & ((more & decides) != 0 ? whole | decides : whole | plain);
    if ((more & looks) != 0) return more & (unsigned{looks} | shows);
    if ((more & times) != 0) return more & ~(unsigned{plain} | predicts_too);
    const bool frequent =
        (more & decides) == 0 && ((more & predicts_too) == 0 || (more & (shows | counts)) == 0);
    return frequent ? more : more & ~unsigned{plain};
  }
};

/// Numbers of virtual channels of the input and the output of a port; 0: none.
struct PortShape {
  unsigned in_vcs = 0, out_vcs = 0;
  bool to_node = false;
};

/// Where the arrivals at virtual channels of a port are in a unit's row: a word, and the bit of the first
/// one.
struct RowPlace {
  unsigned word, first_bit;
};

/// A router, as the network that it is in sees it (MaskRouter).
class Router {
 public:
  virtual ~Router() = default;

  virtual void build(graph::RouterId id, const std::vector<PortShape>& ports, const RouterShared& shared,
                     Arena& arena, Home& home, unsigned unit, HeadQueues& queues) = 0;
  /// The router predicts (RouterShared::predicts).
  virtual void predict_by(PredictionParts parts, Arena& arena) = 0;
  /// Look-up hardware of the router's switch answers its heads (RouterShared::looks_up).
  virtual void look_up_by(std::unique_ptr<RouteLookup> hardware) = 0;
  /// Direction out of a port, to virtual channels whose queues of heads begin at `heads` and whose bits begin
  /// at `first_bit`.
  virtual void connect_output(unsigned port, const Wire& wire, QueueIndex heads, unsigned first_bit) = 0;
  /// Credits of a port's input, to output virtual channels whose bits begin at `first_bit`.
  virtual void connect_credits(unsigned port, const Wire& wire, unsigned first_bit) = 0;
  /// All neighbourhoods have joined their threads.
  virtual void join_threads(Crossings& crossings) = 0;
  unsigned unit() const { return unit_; }
  Home& home() const { return *home_; }
  const graph::RouterId& id() const { return id_; }
  /// Flits that arrive at a port.
  virtual RowPlace flits(unsigned port) const = 0;
  /// Credits of a port's output.
  virtual RowPlace credits(unsigned port) const = 0;
  virtual QueueIndex heads(unsigned port) const = 0;

  /// Runs those of a neighbourhood's `routers` whose bit is in `units`.
  using Run = void (*)(Router* const* routers, Bits units, const Moment& at, Work& work);

  // Between two cycles.

  virtual std::uint64_t flits_sent(unsigned port) const = 0;
  /// Flits of flits_sent() that leave in cycle `now` or later (RouterShared::passes_whole).
  virtual std::uint64_t flits_to_come(unsigned port, Cycle now) const = 0;
  virtual router::RouterCounters counters() const = 0;
  /// Table with read ports; null: none.
  virtual const lookup::PortedTable* table() const = 0;
  virtual std::uint64_t flits_held() const = 0;
  /// Flits in the buffer of an input virtual channel and on the wires to it.
  virtual unsigned flits_held(unsigned port, unsigned vc) const = 0;
  /// Credits of an output virtual channel, with those under way.
  virtual unsigned credits(unsigned port, unsigned vc) const = 0;
  /// Adds flits_held() of the virtual channels of a port.
  virtual void add_flits_held(unsigned port, unsigned* of_vcs) const = 0;
  /// Adds credits() of the virtual channels of a port.
  virtual void add_credits(unsigned port, unsigned* of_vcs) const = 0;
  virtual void visit_packets(const std::function<void(PacketIndex)>& visit) const = 0;
  /// Latest cycle after `now` in which something arrives or a stage ends; 0: none.
  virtual Cycle last_event(Cycle now) const = 0;
  virtual router::VcView view(unsigned port, unsigned vc) const = 0;
  /// Cycles of an input virtual channel before `end` by state (RouterShared::counts_waits).
  virtual router::StateCycles waits_of(unsigned port, unsigned vc, Cycle end) const = 0;
  /// Of all input virtual channels.
  virtual router::StateCycles waits(Cycle end) const = 0;
  virtual std::vector<routing::RouteCandidate> candidates(unsigned port, unsigned vc) const = 0;
  virtual unsigned in_vcs(unsigned port) const = 0;
  virtual const router::PredictingRouter& predicting() const = 0;
  /// Called before the first cycle, for a router that does not predict.
  virtual std::unique_ptr<WatchedRouter> watch_by(RouterWatch& watch, const RouterWatchPlan& plan) const = 0;

 protected:
  Home* home_ = nullptr;
  graph::RouterId id_ = 0;
  std::uint8_t unit_ = 0;
};

}  // namespace tsuji::network::dense
