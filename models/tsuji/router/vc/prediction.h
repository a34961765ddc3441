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

/// A router's predictions as a stage beside the others: the inputs that are quiet, the outputs and virtual
/// channels that they hold, and the flits that would cross without route computation and allocation in this
/// cycle. Plain; a driver tells it what the other stages do.
///
/// A head that comes to a quiet input with an output at hand tries it. When all real requests of the cycle
/// are known, settle() says which flits go: a try whose output somebody asks for is lost, one that is known
/// to be wrong is held back, the others cross at once.
class Prediction {
 public:
  struct Parts {
    const VcRouterConfig& config;
    const VcAllocation& va;
    const std::vector<RouterPort>& ports;
    ArenaPtr<Predictors> predictors;
    graph::RouterId router;
    const routing::RouteHints* hints;  ///< PredictionCheck::hint
    routing::VcMask spared_vcs;        ///< between routers, into which nothing is guessed
    Arena& arena;
  };
  /// A head that may cross.
  struct Coming {
    const routing::RouteQuery& query;
    const routing::RouteSet& routes;  ///< foreseen, where the router does not know them yet
    unsigned flits;
    bool known;  ///< the router knows the route, or by a hint whether it may cross, in time to hold it back
  };
  /// A flit that may cross in this cycle: a head that was predicted, or one of a packet whose output is kept.
  struct Try {
    enum class Fate : std::uint8_t { open, lost, wrong } fate = Fate::open;
    bool head = false, right = true, known = true;
    std::uint8_t out_vc = 0;
    std::uint16_t line = 0, port = 0, out_port = 0;
  };
  /// A packet whose first flits have crossed before its route is known, and are in the buffer still
  /// (PredictionCheck::leak). If the guess is wrong, the copies on the link are dead.
  struct Leak {
    IndexOrNone<std::uint16_t> line;
    std::uint16_t crossed = 0;  ///< flits
    std::uint16_t hops = 0;     ///< of the head, when it asks
    Cycle since = 0;            ///< the head has crossed
    std::uint8_t out_port = 0, out_vc = 0;
    bool right = false;
    bool goes_on = false;  ///< flits behind them cross, too
  };

  explicit Prediction(Parts parts);
  /// The fates of heads' visits are told it from now on; null: nobody.
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

  /// First in a cycle.
  void begin(Cycle now) {
    begun_ = now;
    if (look_ != 0) look(now);
    crossbar_.begin(now);
  }
  /// Before a packet is forgotten between two cycles, of which `now` is the first: wishes that are fulfilled
  /// by then are older, in whichever cycles the router has run.
  void catch_up(Cycle now) {
    if (begun_ < now) begin(now);
  }
  /// A head has come. True, once: its input was quiet.
  bool admits(const InputVc& vc) {
    if ((quiet_ & bit(vc.port)) == 0) return false;
    quiet_ &= ~bit(vc.port);
    return true;
  }
  /// A head has come, or begins to, that is none of the predictor's: its input wants nothing.
  void pass_by(const InputVc& vc) {
    if (admits(vc)) give_up(vc.port);
  }
  /// Its visit, which has not been counted.
  void decline(const InputVc& vc, Cycle now) {
    pass_by(vc);
    count(vc, PredictionOutcome::not_predicted, now);
  }
  /// It comes to an input that is not idle and empty.
  void count_not_idle(const InputVc& vc, Cycle now) { count(vc, PredictionOutcome::not_idle, now); }
  /// An admitted head is remembered: it has tried its luck while its words came, or tries it later.
  void remember(const InputVc& vc) { remembered_[vc.port] = vc.number; }
  /// True, once, for a remembered one.
  bool recall(const InputVc& vc) {
    if (remembered_ == nullptr || remembered_[vc.port] != vc.number) return false;
    remembered_[vc.port] = {};
    return true;
  }
  /// An admitted head tries its luck. False: there is nothing to try.
  bool try_head(const InputVc& vc, const Coming& coming, Cycle now);
  /// A flit of a packet with an output, which could ask for the switch. True: its input has kept the output.
  bool try_kept(const InputVc& vc);
  /// The packet's head has hit, and its input has the output still.
  bool keeps(const InputVc& vc) const {
    return kept_for_[vc.port] == vc.number && crossbar_.wanted(vc.port) == vc.out_port;
  }
  /// The packet's flits go by the switch from now on.
  void give_up(const InputVc& vc) {
    if (kept_for_[vc.port] == vc.number) give_up(vc.port);
  }
  /// A head has been routed, or confirmed.
  void learn(const InputVc& vc, End destination, unsigned port) {
    predictors_->learn(vc.port, destination, port);
  }
  /// Cycles before a flit can be acted upon in which its first word comes; 0: the whole flit is awaited.
  Cycle early(unsigned port) const { return early_ == nullptr ? 0 : early_[port]; }
  /// Null: none of this virtual channel's packet is under way.
  Leak* leak(const InputVc& vc) const {
    return leaks_ != nullptr && leaks_[vc.port].line == vc.number ? &leaks_[vc.port] : nullptr;
  }
  Leak& open_leak(const Try& one);
  bool any_leaks() const { return open_leaks_ != 0; }
  /// Calls visit(leak) for the open ones, which may close theirs.
  template <class Visit>
  void visit_leaks(const Visit& visit) const {
    for (unsigned port = 0; leaks_ != nullptr && port < ports_; ++port)
      if (leaks_[port].line) visit(leaks_[port]);
  }
  void count_leaked(const InputVc& vc) { ++counters_[vc.port].leaked_flits; }
  void close_leak(Leak& leak) {
    leak = {};
    --open_leaks_;
  }
  /// The next flit of a leak, which is here with a credit. False: its input has lost the output.
  bool try_leak(const InputVc& vc, const Leak& leak);
  bool any_tries() const { return !tries_.empty(); }

  void request(const InputVc& vc, unsigned output, Cycle now) { crossbar_.request(vc.port, output, now); }
  /// Requests from any of these input ports and for any of these outputs, as bits.
  void request_all(std::uint64_t inputs, std::uint64_t outputs, Cycle now) {
    crossbar_.request_all(inputs, outputs, now);
  }
  /// Inputs that have lost the output of their packet since the last call, as bits.
  std::uint64_t take_dropped() { return crossbar_.take_dropped(); }
  /// Whether a flit that won the switch may cross in cycle `now` where a packet has kept its output since.
  /// Where winners cross in the next cycle, the packet's head has met all of them.
  bool others_cross(Cycle now) const { return lead_cycles_ > 1 && crossbar_.used(now); }
  /// The next flit of a packet whose input keeps the output may cross in cycle `now`, by an output that takes
  /// a flit in every cycle.
  bool may_cross(const InputVc& vc, Cycle now) const {
    return crossbar_.held(vc.port, now, 1) == vc.out_port;
  }
  /// It crosses.
  void cross_kept(const InputVc& vc, Cycle now) {
    ++counters_[vc.port].kept_flits;
    crossbar_.cross(vc.port, vc.out_port, now, now, 1);
  }
  /// A flit that has won the switch in cycle `now`.
  void cross(const InputVc& vc, Cycle now) {
    last_vc_[vc.port] = vc.out_vc;
    crossbar_.cross(vc.port, vc.out_port, now, now + lead_cycles_, flit_cycles_[vc.out_port]);
  }

  /// The tries of this cycle after all requests: calls go_on(line) for those that are lost or wrong, which
  /// may request now, until nothing changes; then cross(try) for the others. Tells itself of requests by
  /// `ask`, which calls request() for all that stand.
  template <class Ask, class GoOn, class Cross>
  void settle(Cycle now, const Ask& ask, const GoOn& go_on, const Cross& cross) {
    bool first = true;
    do {
      ask();
    } while (hold_back(now, std::exchange(first, false), go_on));
    cross_all(now, cross);
  }
  /// One round of settle(), after all requests that are known. False: nothing has changed.
  template <class GoOn>
  bool hold_back(Cycle now, bool first, const GoOn& go_on) {
    bool changed = false;
    for (Try& one : tries_) one.fate = judge(one, first, now);
    // Judged together: which of them comes first does not show.
    for (std::size_t t = 0; t < tries_.size();) {
      if (tries_[t].fate == Try::Fate::open) {
        ++t;
        continue;
      }
      const Try failed = tries_[t];
      tries_.erase(tries_.begin() + static_cast<std::ptrdiff_t>(t));
      fail(failed, now);
      go_on(failed.line);
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
  /// A tail has left, or a packet is gone: its input may be quiet now.
  void may_be_quiet(const InputVc& vc) {
    give_up(vc);
    look_ |= bit(vc.port);
  }

  /// Of the heads of an input.
  const PredictionCounters& counters(unsigned port) const { return counters_[port]; }
  /// A head that hit did not wait for its route.
  void save(const InputVc& vc, Cycle cycles) { counters_[vc.port].saved_cycles += cycles; }
  /// Cycles between the decision for a flit that wins the switch and that of a hit which leaves beside it.
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
  std::uint64_t quiet_ = 0;  ///< ports whose input was idle and empty in the cycle before
  std::uint64_t look_ = 0;   ///< ports to look at
  Cycle begun_ = 0;
  std::vector<Try> tries_;
  const ArenaPtr<Predictors> predictors_;
  const InputVc* vcs_ = nullptr;
  const OutputPort* outputs_ = nullptr;
  const VcAllocation& va_;
  const VcRouterConfig& config_;
  std::uint16_t* const flit_cycles_;              ///< [output]
  IndexOrNone<std::uint16_t>* const kept_for_;    ///< [input]: line of the packet that has its output
  std::uint8_t* const last_vc_;                   ///< [input]: virtual channel of the last head's output
  IndexOrNone<std::uint16_t>* const remembered_;  ///< [input]: line of the head; null: never any
  std::uint32_t* const early_;                    ///< [input]; null: all 0
  Leak* const leaks_;                             ///< [input]; null: nothing leaks
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

/// The stage of a router whose configuration predicts; null for one that does not.
ArenaPtr<Prediction> make_prediction(const VcRouterConfig& config, graph::RouterId id,
                                     const std::vector<RouterPort>& ports, const RouterParts& parts,
                                     const VcAllocation& va);

}  // namespace tsuji::router
