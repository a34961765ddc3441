#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tsuji/router/flit_router.h"
#include "tsuji/router/prediction/predictive_crossbar.h"
#include "tsuji/router/vc/input_vc.h"
#include "tsuji/router/vc/output_port.h"
#include "tsuji/router/vc/vc_allocation.h"

namespace tsuji::router {

/// A router's predictions as a stage beside the others: the inputs that are quiet, the outputs and virtual
/// channels that they hold, and the flits that would cross without route computation and allocation in this
/// cycle. Plain; a driver tells it what the other stages do.
///
/// A head that comes to a quiet input with an output at hand tries it. When all real requests of the cycle
/// are known, settle() says which flits go: a try whose output somebody asks for is lost, one whose route is
/// another is wrong, the others cross at once.
class Prediction {
 public:
  struct Parts {
    const VcRouterConfig& config;
    const VcAllocation& va;
    const std::vector<RouterPort>& ports;
    ArenaPtr<Predictors> predictors;
    Arena& arena;
  };
  /// A flit that may cross in this cycle: a head that was predicted, or one of a packet whose output is kept.
  struct Try {
    enum class Fate : std::uint8_t { open, lost, wrong } fate = Fate::open;
    bool head = false;
    std::uint8_t out_vc = 0;
    std::uint16_t line = 0, port = 0, out_port = 0;
  };

  explicit Prediction(Parts parts);
  void bind(const InputVc* vcs, const OutputPort* outputs) {
    vcs_ = vcs;
    outputs_ = outputs;
  }

  /// First in a cycle.
  void begin(Cycle now);
  /// A head has come to the front, and its candidates are known from vc.ready on. True: it tries its luck.
  bool try_head(const InputVc& vc, unsigned flits, Cycle now);
  /// A flit of a packet with an output, which could ask for the switch. True: its input has kept the output.
  bool try_kept(const InputVc& vc);
  /// The packet's head has hit, and its input has the output still.
  bool keeps(const InputVc& vc) const {
    return kept_for_[vc.port] == vc.number + 1 && crossbar_.wanted(vc.port) == vc.out_port;
  }
  /// A head has been routed.
  void learn(const InputVc& vc, NodeId destination) {
    predictors_->learn(vc.port, destination, va_.candidates(vc)->port);
  }
  bool any_tries() const { return !tries_.empty(); }

  void request(const InputVc& vc, unsigned output, Cycle now) { crossbar_.request(vc.port, output, now); }
  /// A flit that has won the switch in cycle `now`.
  void cross(const InputVc& vc, Cycle now) {
    last_vc_[vc.port] = vc.out_vc;
    crossbar_.cross(vc.port, vc.out_port, now, now + sa_cycles_, flit_cycles_[vc.out_port]);
  }

  /// The tries of this cycle after all requests: calls go_on(line) for those that are lost or wrong, which
  /// may request now, until nothing changes; then cross(try) for the others. Tells itself of requests by
  /// `ask`, which calls request() for all that stand.
  template <class Ask, class GoOn, class Cross>
  void settle(Cycle now, const Ask& ask, const GoOn& go_on, const Cross& cross) {
    for (bool first = true;; first = false) {
      ask();
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
        fail(failed);
        go_on(failed.line);
        changed = true;
      }
      if (!changed) break;
    }
    for (const Try& one : tries_) {
      take(one, now);
      cross(one);
    }
    tries_.clear();
  }
  /// A tail has left, or a packet is gone: its input may be quiet now.
  void may_be_quiet(const InputVc& vc) {
    if (kept_for_[vc.port] == vc.number + 1) give_up(vc.port);
    look_[vc.port / 64] |= std::uint64_t{1} << (vc.port % 64);
  }

  const PredictionCounters& counters() const { return counters_; }
  /// Cycles between the decision for a flit that wins the switch and that of a hit which leaves beside it.
  Cycle lead_cycles() const { return sa_cycles_; }

 private:
  Try::Fate judge(const Try& one, bool first, Cycle now) const;
  bool right(const Try& one) const;
  void fail(const Try& one);
  void give_up(unsigned port) {
    crossbar_.want(port, no_port);
    kept_for_[port] = 0;
  }
  void take(const Try& one, Cycle now);
  bool quiet(unsigned port, Cycle now) const;
  unsigned usable_vc(unsigned input, unsigned output, unsigned flits, Cycle now) const;
  bool is_quiet(unsigned port) const { return (quiet_[port / 64] >> (port % 64) & 1U) != 0; }
  void count(PredictionOutcome outcome) { ++counters_.visits[static_cast<std::size_t>(outcome)]; }

  PredictiveCrossbar crossbar_;
  std::uint64_t* const quiet_;  ///< ports whose input was idle and empty in the cycle before
  std::uint64_t* const look_;   ///< ports to look at
  std::vector<Try> tries_;
  const ArenaPtr<Predictors> predictors_;
  const InputVc* vcs_ = nullptr;
  const OutputPort* outputs_ = nullptr;
  const VcAllocation& va_;
  const VcRouterConfig& config_;
  std::uint16_t* const flit_cycles_;  ///< [output]
  std::uint16_t* const kept_for_;     ///< [input]: line of the packet that has its output, + 1; 0: none
  std::uint8_t* const last_vc_;       ///< [input]: virtual channel of the last head's output
  const Cycle sa_cycles_;
  const unsigned ports_;
  const bool reads_coming_;  ///< PredictorTraits
  PredictionCounters counters_;
};

}  // namespace tsuji::router
