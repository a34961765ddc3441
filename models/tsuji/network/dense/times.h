// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/error.h"
#include "tsuji/link/route_lookup.h"
#include "tsuji/lookup/ported_table.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/progress_timer.h"

namespace tsuji::network::dense {

/// Outputs of a router that pause when their virtual channel changes (VcRouterConfig::vc_change_cycles).
/// Mask: of input virtual channels.
template <class Mask>
class Pauses {
 public:
  Pauses(Cycle cycles, std::size_t ports, Arena& arena)
      : cycles_(cycles),
        outputs_(cycles == 0 ? nullptr : arena.array<Use>(ports)),
        ports_(static_cast<unsigned>(ports)) {}

  /// An output starts as if a flit had left it by its first virtual channel in the cycle before the first.
  void add_output(unsigned port, const OutputVc<Mask>* first) {
    if (outputs_ != nullptr) outputs_[port] = {Cycle{0} - 1, first};
  }
  /// An input virtual channel is allocated an output virtual channel.
  void takes(Mask input_vc) { suspects_ |= input_vc; }
  /// A flit leaves, and others hold virtual channels of its output.
  void leaves(unsigned port, const OutputVc<Mask>* out, Mask others, Cycle now) {
    if (outputs_ == nullptr) return;
    outputs_[port] = {now, out};
    suspects_ |= others;
  }
  /// Input virtual channels of `asking` whose output takes no flit of theirs. output(input_vc): its port and
  /// output virtual channel.
  template <class Output>
  Mask pausing(Mask asking, Cycle now, const Output& output) {
    Mask pausing = 0;
    if (outputs_ == nullptr) return pausing;
    for (Mask rest = asking & suspects_; rest != 0; rest &= rest - 1) {
      const auto [port, out] = output(lowest(rest));
      if (outputs_[port].last != out && now - outputs_[port].at <= cycles_) {
        pausing |= lowest_bit(rest);
      } else {
        suspects_ ^= lowest_bit(rest);
      }
    }
    return pausing;
  }
  /// Latest cycle in which a pause ends.
  Cycle last_end() const {
    Cycle last = 0;
    for (unsigned port = 0; outputs_ != nullptr && port < ports_; ++port)
      last = std::max(last, outputs_[port].at + 1 + cycles_);
    return last;
  }

 private:
  /// Last flit of an output.
  struct Use {
    Cycle at = 0;
    const OutputVc<Mask>* last = nullptr;  ///< its virtual channel
  };

  const Cycle cycles_;
  Use* outputs_;       ///< [port]; null: outputs never pause
  Mask suspects_ = 0;  ///< all whose output may pause
  const unsigned ports_;
};

/// Routing table with read ports (Routing::table_reads) of a router without modules.
class ReadTable final : private RouteClient {
 public:
  /// An answer, which may be used from cycle `at` on.
  struct Answer {
    unsigned input_vc;
    Cycle at;
    routing::RouteSet routes;
  };
  /// `vcs`: number of virtual channels of each input port.
  ReadTable(const routing::Routing& routing, const lookup::PortedTableTiming& timing,
            const std::vector<unsigned>& vcs)
      : table_(routing, timing, vcs) {
    table_.bind_client(*this);
    answers_.reserve(timing.ports);
  }

  /// The head at the front of an input virtual channel requests its route. Returns false if it waits for an
  /// answer; otherwise sets `routes`.
  bool request(unsigned input_vc, const routing::RouteQuery& query, routing::RouteSet& routes, Cycle now) {
    if (table_.request(now, query, input_vc, routes) != never) return true;
    ++open_;
    return false;
  }
  /// No answer comes for this input virtual channel, which waits for one.
  void cancel(unsigned input_vc, Cycle now) {
    table_.cancel(now, input_vc);
    --open_;
  }
  /// True if there is an open request.
  bool is_asked() const { return open_ != 0; }
  /// Runs the table, first in a cycle. Calls visit(Answer) for each answer.
  template <class Visit>
  void run(Cycle now, const Visit& visit) {
    table_.run(now);
    for (const Answer& answer : answers_) visit(answer);
    answers_.clear();
  }
  /// Next cycle in which run() reads a word.
  Cycle next_run(Cycle now) const { return table_.next_run(now); }
  const lookup::PortedTable& table() const { return table_; }

 private:
  void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& routes) override {
    answers_.push_back({ticket, at, routes});
    --open_;
  }

  lookup::PortedTable table_;
  std::vector<Answer> answers_;  ///< of this cycle
  unsigned open_ = 0;            ///< requests without an answer
};

/// Look-up hardware of a switch in a router without modules, whose answers have known times
/// (lookup::LookupConfig::answers_at_request()).
class SwitchAnswers final : private RouteClient {
 public:
  SwitchAnswers(std::unique_ptr<RouteLookup> hardware, unsigned input_vcs) : hardware_(std::move(hardware)) {
    hardware_->bind_client(*this);
    far_.reserve(input_vcs);
  }

  /// The head at the front of an input virtual channel requests its route. Sets `routes`, and returns the
  /// first cycle in which they may be used.
  Cycle request(unsigned input_vc, const routing::RouteQuery& query, routing::RouteSet& routes, Cycle now) {
    const Cycle ready = hardware_->request(now, query, input_vc, routes);
    if (ready == never || ready == now) route_answer(input_vc, now, routes);
    return ready;
  }
  /// Keeps an answer whose cycle is beyond the slots of stages.
  void add_far(unsigned input_vc, Cycle at) { far_.push_back({at, input_vc}); }
  /// Next cycle of such an answer; `never`: there is none.
  Cycle next() const {
    Cycle next = never;
    for (const Far& one : far_) next = std::min(next, one.at);
    return next;
  }
  /// Last cycle of such an answer; 0: there is none.
  Cycle last() const {
    Cycle last = 0;
    for (const Far& one : far_) last = std::max(last, one.at);
    return last;
  }
  /// Calls visit(input_vc) for each such answer of this cycle, and forgets them.
  template <class Visit>
  void take(Cycle now, const Visit& visit) {
    for (std::size_t i = far_.size(); i-- > 0;) {
      if (far_[i].at != now) continue;
      visit(far_[i].input_vc);
      far_[i] = far_.back();
      far_.pop_back();
    }
  }

 private:
  struct Far {
    Cycle at;
    unsigned input_vc;
  };
  void route_answer(std::uint32_t, Cycle at, const routing::RouteSet&) override {
    throw ModelError("look-up hardware", at, "",
                     "a router without modules takes answers of a later cycle that is known at the request");
  }

  const std::unique_ptr<RouteLookup> hardware_;
  std::vector<Far> far_;
};

/// Times of a router without modules beside those of its stages.
/// Mask: of input virtual channels.
template <class Mask>
struct Times {
  Times(const router::VcRouterConfig& config, std::size_t ports, Arena& arena)
      : pauses(config.vc_change_cycles, ports, arena), timer(config.block_timeout_cycles, config.hop_limit) {}

  Pauses<Mask> pauses;
  router::ProgressTimer timer;
  /// Input virtual channels whose head has a timeout before it, if it still waits.
  Mask waiting = 0;
  Cycle act_at = never;   ///< next cycle in which the timer or the table has work; 0: not known
  Cycle planned = never;  ///< cycle of the last wake-up for it
  router::RouterCounters counters;
  std::unique_ptr<ReadTable> table;        ///< null: routes are computed in the time of RC
  Mask reading = 0;                        ///< input virtual channels whose head waits for the table's answer
  std::unique_ptr<SwitchAnswers> answers;  ///< look-up hardware of the switch; null: there is none
  Crossings* crossings = nullptr;          ///< heads to other threads; null: there is one thread
  // [input VC], for a watch (HeadStages); null unless RouterShared::may_be_watched.
  Cycle* routed = nullptr;   ///< first cycle of VA
  Cycle* blocked = nullptr;  ///< of a head that has started again: cycles before that
};

}  // namespace tsuji::network::dense
