// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/lookup/ported_table.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/progress_timer.h"

namespace tsuji::network::dense {

/// Outputs of a router that pause when their virtual channel changes (VcRouterConfig::vc_change_cycles).
/// Mask: of ports.
template <class Mask>
class Pauses {
 public:
  Pauses(Cycle cycles, std::size_t ports, Arena& arena)
      : cycles_(cycles),
        outputs_(cycles == 0 ? nullptr : arena.array<Output>(ports)),
        ports_(static_cast<unsigned>(ports)) {}

  /// The output virtual channels of a port begin with `first`. An output starts as if a flit had left it by
  /// that one in the cycle before the first.
  void add_output(unsigned port, unsigned first) {
    if (outputs_ == nullptr) return;
    outputs_[port] = {cycles_, first};
    pausing_ |= Mask{1} << port;
  }
  /// A flit leaves by an output virtual channel of a port.
  void leaves(unsigned port, unsigned out, Cycle now) {
    if (outputs_ == nullptr) return;
    outputs_[port] = {now + 1 + cycles_, out};
    pausing_ |= Mask{1} << port;
  }
  /// Calls visit(port, output virtual channel) for each output that takes flits of this virtual channel only.
  template <class Visit>
  void visit(Cycle now, const Visit& visit) {
    for (Mask rest = pausing_; rest != 0; rest &= rest - 1) {
      const Output& output = outputs_[lowest(rest)];
      if (output.until > now) {
        visit(lowest(rest), output.out);
      } else {
        pausing_ ^= lowest_bit(rest);
      }
    }
  }
  /// Latest cycle in which a pause ends.
  Cycle last_end() const {
    Cycle last = 0;
    for (unsigned port = 0; outputs_ != nullptr && port < ports_; ++port)
      last = std::max(last, outputs_[port].until);
    return last;
  }

 private:
  /// Last use of an output.
  struct Output {
    Cycle until = 0;   ///< first cycle in which the output takes any flit
    unsigned out = 0;  ///< output virtual channel of the last flit
  };

  const Cycle cycles_;
  Mask pausing_ = 0;  ///< outputs that may pause
  Output* outputs_;   ///< [port]; null: outputs never pause
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

/// Times of a router without modules beside those of its stages.
/// Mask: of input virtual channels.
template <class Mask>
struct Times {
  Times(const router::VcRouterConfig& config, std::size_t ports, Arena& arena)
      : pauses(config.vc_change_cycles, ports, arena), timer(config.block_timeout_cycles, config.hop_limit) {}

  Pauses<Mask> pauses;
  router::ProgressTimer timer;
  Mask waiting = 0;       ///< input virtual channels whose head has a timeout before it
  Cycle planned = never;  ///< cycle of the wake-up for the timer
  router::RouterCounters counters;
  std::unique_ptr<ReadTable> table;  ///< null: routes are computed in the time of RC
  Mask reading = 0;                  ///< input virtual channels whose head waits for the table's answer
  // [input VC], for a watch (HeadStages); null unless RouterShared::may_be_watched.
  Cycle* routed = nullptr;   ///< first cycle of VA
  Cycle* blocked = nullptr;  ///< of a head that has started again: cycles before that
};

}  // namespace tsuji::network::dense
