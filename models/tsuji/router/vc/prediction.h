// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/core/index_or_none.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/prediction/predictive_crossbar.h"
#include "tsuji/router/vc/input_vc.h"
#include "tsuji/router/vc/output_port.h"
#include "tsuji/router/vc/vc_allocation.h"
#include "tsuji/routing/route_hints.h"

namespace tsuji::router {

/// Prediction in a router (Tateshita 2009, section 2.1), as a stage parallel to the others: knows the quiet
/// inputs, the outputs and virtual channels reserved for them, and the flits that may cross in this cycle
/// without route computation and allocation ("tries"). It has no connection to the kernel; a driver calls it.
///
///     head arrives
///         |
///     admits() --false--> count_not_idle()              input was not idle and empty
///         | true
///     try_head() --false--> (not_predicted, no_room)    no output, virtual channel or credit
///         | true: a Try
///     settle() --go_on()--> (lost, wrong)               output requested by others, or mispredicted
///         | cross()
///       (hit) --> body flits: try_kept() in each cycle, until the output is requested or the tail has left
///
/// After false or go_on() the head passes through the normal stages.
///
/// Contract: the driver calls, in each cycle `now` in which the router runs,
///   1. begin()
///   2. for each head that arrives: decline() or pass_by() if it is not to be predicted; otherwise
///      admits(), and then try_head() or count_not_idle(). A head that tries later, or tried while its words
///      arrived, is marked by remember() and found by recall(). learn() when its route is known.
///   3. for each body flit that is ready to request the switch: try_kept(), or try_leak() for a leak
///   4. settle(), or in its place hold_back() until nothing changes, and cross_all(). The driver reports the
///      cycle's real requests (VA and SA) by request() or request_all() before each round, because a try that
///      fails makes a real request.
///   5. cross() for each flit that wins the switch
///   6. may_be_quiet() for each tail that has left
///   and, for an input that no longer keeps its output, give_up().
/// Between cycles: catch_up() and may_be_quiet() before a packet's state is discarded; with
/// PredictionCheck::leak also open_leak() and close_leak() at any time.
class Prediction {
 public:
  struct Parts {
    const VcRouterConfig& config;
    const VcAllocation& va;
    const std::vector<RouterPort>& ports;
    ArenaPtr<Predictors> predictors;
    graph::RouterId router;
    const routing::RouteHints* hints;  ///< hints of the routing, with PredictionCheck::hint; otherwise null
    routing::VcMask spared_vcs;        ///< virtual channels between routers into which no head is predicted
    Arena& arena;
  };
  /// A head that may cross.
  struct Coming {
    const routing::RouteQuery& query;
    const routing::RouteSet& routes;  ///< candidates; foreseen if the router does not know them yet
    unsigned flits;
    /// The route or a hint shows whether the guess is right, in time to stop the flit.
    bool known;
  };
  /// A flit that may cross in this cycle: a predicted head, or a body flit whose input keeps its output.
  struct Try {
    enum class Fate : std::uint8_t { open, lost, wrong } fate = Fate::open;
    bool head = false, right = true, known = true;
    std::uint8_t out_vc = 0;
    std::uint16_t input_vc = 0, port = 0, out_port = 0;
  };
  /// A packet whose first flits have crossed before its route is known (PredictionCheck::leak); they are
  /// still in the buffer. If the guess is wrong, their copies on the link are dead.
  struct Leak {
    IndexOrNone<std::uint16_t> input_vc;
    std::uint16_t crossed = 0;  ///< number of flits that have crossed
    std::uint16_t hops = 0;     ///< hop count of the head for its route request
    Cycle since = 0;            ///< cycle in which the head crossed
    std::uint8_t out_port = 0, out_vc = 0;
    bool right = false;
    bool goes_on = false;  ///< further flits of the packet may cross
  };

  explicit Prediction(Parts parts);
  /// Sets the observer of outcomes; null: none.
  void set_probe(RouterProbe* probe) { probe_ = probe; }
  void bind(const InputVc* vcs, const OutputPort* outputs) {
    vcs_ = vcs;
    outputs_ = outputs;
  }

  std::string stands_for() const {
    return "prediction beside the stages: heads that cross without route computation and allocation "
           "(Tateshita 2009, section 2.1)";
  }
  std::uint64_t predictor_bits() const { return predictors_->state_bits(); }
  void add_parts(PartList& parts) const {
    parts.add("prediction", *this);
    parts.add("predictor", *predictors_);
    parts.add("crossbar", crossbar_);
  }

  /// Starts cycle `now`: determines the holders of the predictive crossbar.
  void begin(Cycle now) {
    begun_ = now;
    if (look_ != 0) look(now);
    crossbar_.begin(now);
  }
  /// Starts cycle `now`, which follows the last one that ran, unless that was done. Called before a packet's
  /// state is discarded between two cycles: requests of inputs that are satisfied by then must be older than
  /// those that the discarding causes.
  void catch_up(Cycle now) {
    if (begun_ < now) begin(now);
  }
  /// Returns true, once, if the head that has arrived came to a quiet input.
  bool admits(const InputVc& vc) {
    if ((quiet_ & bit(vc.port)) == 0) return false;
    quiet_ &= ~bit(vc.port);
    return true;
  }
  /// The head that arrives, or starts to, is not to be predicted: its input releases its reservation.
  void pass_by(const InputVc& vc) {
    if (admits(vc)) give_up(vc.port);
  }
  /// pass_by() for a head whose visit has not been counted; counts it as not_predicted.
  void decline(const InputVc& vc, Cycle now) {
    pass_by(vc);
    count(vc, PredictionOutcome::not_predicted, now);
  }
  /// Counts the visit of a head whose input was not idle and empty.
  void count_not_idle(const InputVc& vc, Cycle now) { count(vc, PredictionOutcome::not_idle, now); }
  /// Marks an admitted head that tried while its words arrived, or tries later.
  void remember(const InputVc& vc) { remembered_[vc.port] = vc.number; }
  /// Returns true, once, for a head that was marked by remember().
  bool recall(const InputVc& vc) {
    if (remembered_ == nullptr || remembered_[vc.port] != vc.number) return false;
    remembered_[vc.port] = {};
    return true;
  }
  /// An admitted head tries to cross. Returns false if there is no output, virtual channel or credit for it.
  bool try_head(const InputVc& vc, const Coming& coming, Cycle now);
  /// A body flit that could request the switch tries to cross. Returns true if its input still keeps the
  /// output.
  bool try_kept(const InputVc& vc);
  /// Returns true if the packet's head has hit and its input still keeps the output.
  bool keeps(const InputVc& vc) const {
    return kept_for_[vc.port] == vc.number && crossbar_.wanted(vc.port) == vc.out_port;
  }
  /// From now on the flits of this packet request the switch.
  void give_up(const InputVc& vc) {
    if (kept_for_[vc.port] == vc.number) give_up(vc.port);
  }
  /// Trains the predictor with the output of a head, once its route is known or confirmed.
  void learn(const InputVc& vc, End destination, unsigned port) {
    predictors_->learn(vc.port, destination, port);
  }
  /// Number of cycles from the arrival of the first word to the cycle in which a flit can be acted on; 0:
  /// predicted flits wait for the whole flit.
  Cycle early(unsigned port) const { return early_ == nullptr ? 0 : early_[port]; }
  /// The leak of this virtual channel's packet; null: none.
  Leak* leak(const InputVc& vc) const {
    return leaks_ != nullptr && leaks_[vc.port].input_vc == vc.number ? &leaks_[vc.port] : nullptr;
  }
  Leak& open_leak(const Try& one);
  bool any_leaks() const { return open_leaks_ != 0; }
  /// Calls visit(leak) for all open leaks; `visit` may close its leak.
  template <class Visit>
  void visit_leaks(const Visit& visit) const {
    for (unsigned port = 0; leaks_ != nullptr && port < ports_; ++port)
      if (leaks_[port].input_vc) visit(leaks_[port]);
  }
  void count_leaked(const InputVc& vc) { ++counters_[vc.port].leaked_flits; }
  void close_leak(Leak& leak) {
    leak = {};
    --open_leaks_;
  }
  /// The next flit of a leak, which is present and has a credit, tries to cross. Returns false if its input
  /// has lost the output.
  bool try_leak(const InputVc& vc, const Leak& leak);
  bool any_tries() const { return !tries_.empty(); }

  void request(const InputVc& vc, unsigned output, Cycle now) { crossbar_.request(vc.port, output, now); }
  /// Reports real requests from any of these input ports and for any of these outputs (masks).
  void request_all(std::uint64_t inputs, std::uint64_t outputs, Cycle now) {
    crossbar_.request_all(inputs, outputs, now);
  }
  /// Mask of inputs that have lost the output of their packet since the last call.
  std::uint64_t take_dropped() { return crossbar_.take_dropped(); }
  /// Returns true if a flit that won the switch earlier crosses in cycle `now`, after the input's packet got
  /// its output. If winners cross in the cycle after their win, the packet's head has taken all of them into
  /// account.
  bool others_cross(Cycle now) const { return lead_cycles_ > 1 && crossbar_.used(now); }
  /// Returns true if the next flit of a packet whose input keeps its output may cross in cycle `now`. For
  /// outputs that accept a flit in every cycle.
  bool may_cross(const InputVc& vc, Cycle now) const {
    return crossbar_.held(vc.port, now, 1) == vc.out_port;
  }
  /// The next flit of such a packet crosses in cycle `now`.
  void cross_kept(const InputVc& vc, Cycle now) {
    ++counters_[vc.port].kept_flits;
    crossbar_.cross(vc.port, vc.out_port, now, now, 1);
  }
  /// Reports a flit that has won the switch in cycle `now`.
  void cross(const InputVc& vc, Cycle now) {
    last_vc_[vc.port] = vc.out_vc;
    crossbar_.cross(vc.port, vc.out_port, now, now + lead_cycles_, flit_cycles_[vc.out_port]);
  }

  /// Decides on the tries of this cycle. In each round ask() reports all real requests by request(); tries
  /// that are lost or wrong are removed and passed to go_on(index of the input), which may cause further
  /// requests. When nothing changes any more, cross(try) is called for the remaining tries.
  template <class Ask, class GoOn, class Cross>
  void settle(Cycle now, const Ask& ask, const GoOn& go_on, const Cross& cross) {
    bool first = true;
    do {
      ask();
    } while (hold_back(now, std::exchange(first, false), go_on));
    cross_all(now, cross);
  }
  /// One round of settle(), after all known requests were reported. Returns false if no try failed.
  template <class GoOn>
  bool hold_back(Cycle now, bool first, const GoOn& go_on) {
    bool changed = false;
    for (Try& one : tries_) one.fate = judge(one, first, now);
    // All tries were judged before the first is removed, so their order does not matter.
    for (std::size_t t = 0; t < tries_.size();) {
      if (tries_[t].fate == Try::Fate::open) {
        ++t;
        continue;
      }
      const Try failed = tries_[t];
      tries_.erase(tries_.begin() + static_cast<std::ptrdiff_t>(t));
      fail(failed, now);
      go_on(failed.input_vc);
      changed = true;
    }
    return changed;
  }
  template <class Cross>
  void cross_all(Cycle now, const Cross& cross) {
    for (const Try& one : tries_) {
      take(one, now);
      cross(one);
    }
    tries_.clear();
  }
  /// A tail has left, or a packet was purged: the input may be quiet from the next cycle on.
  void may_be_quiet(const InputVc& vc) {
    give_up(vc);
    look_ |= bit(vc.port);
  }

  /// Counters of the heads of one input.
  const PredictionCounters& counters(unsigned port) const { return counters_[port]; }
  /// Adds cycles that a head that hit did not wait for its route.
  void save(const InputVc& vc, Cycle cycles) { counters_[vc.port].saved_cycles += cycles; }
  /// Cycles from the decision on a flit that wins the switch to the decision on a hit that departs in the
  /// same cycle.
  Cycle lead_cycles() const { return lead_cycles_; }

 private:
  static constexpr std::uint64_t bit(unsigned port) { return std::uint64_t{1} << port; }
  void look(Cycle now);
  Try::Fate judge(const Try& one, bool first, Cycle now) const;
  bool right(const InputVc& vc, const Try& one, const routing::RouteSet& routes) const;
  unsigned predicted(unsigned port, const routing::RouteSet* coming) const;
  void try_flit(const InputVc& vc, unsigned out_port, unsigned out_vc);
  void fail(const Try& one, Cycle now);
  void give_up(unsigned port) {
    crossbar_.want(port, no_port);
    kept_for_[port] = {};
  }
  void take(const Try& one, Cycle now);
  bool quiet(unsigned port, Cycle now) const;
  unsigned usable_vc(unsigned input, unsigned output, unsigned flits, Cycle now) const;
  void count(const InputVc& vc, PredictionOutcome outcome, Cycle now) {
    ++counters_[vc.port].visits[static_cast<std::size_t>(outcome)];
    if (probe_ != nullptr) probe_->on_prediction(router_, vc.port, vc.vc, vc.front().packet(), outcome, now);
  }

  PredictiveCrossbar crossbar_;
  std::uint64_t quiet_ = 0;  ///< mask of ports whose input was idle and empty in the last cycle
  std::uint64_t look_ = 0;   ///< mask of ports to examine for being quiet
  Cycle begun_ = 0;
  std::vector<Try> tries_;
  const ArenaPtr<Predictors> predictors_;
  const InputVc* vcs_ = nullptr;
  const OutputPort* outputs_ = nullptr;
  const VcAllocation& va_;
  const VcRouterConfig& config_;
  std::uint16_t* const flit_cycles_;  ///< [output]
  /// [input]: index of the input VC whose packet keeps the output.
  IndexOrNone<std::uint16_t>* const kept_for_;
  /// [input]: virtual channel that the last head got at its output.
  std::uint8_t* const last_vc_;
  /// [input]: index of the remembered head's input VC; null: no configuration that remembers.
  IndexOrNone<std::uint16_t>* const remembered_;
  std::uint32_t* const early_;  ///< [input]; null: all 0
  Leak* const leaks_;           ///< [input]; null: nothing leaks
  unsigned open_leaks_ = 0;
  const Cycle lead_cycles_;
  const routing::RouteHints* const hints_;
  const routing::VcMask spared_vcs_;
  const graph::RouterId router_;
  const unsigned ports_;
  const bool reads_coming_;  ///< PredictorTraits
  RouterProbe* probe_ = nullptr;
  PredictionCounters* const counters_;  ///< [input]
};

/// Makes the prediction stage of a router; null if its configuration does not predict.
ArenaPtr<Prediction> make_prediction(const VcRouterConfig& config, graph::RouterId id,
                                     const std::vector<RouterPort>& ports, const RouterParts& parts,
                                     const VcAllocation& va);

}  // namespace tsuji::router
