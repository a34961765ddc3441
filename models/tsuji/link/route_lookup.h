// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/units.h"
#include "tsuji/routing/routing.h"

namespace tsuji {

/// Client of a route look-up, for answers that come later.
class RouteClient {
 public:
  virtual ~RouteClient() = default;
  /// The answer to `ticket`, to be used from cycle `at` on, which lies after the cycle of this call.
  virtual void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) = 0;
};

/// Route computation as a part of a router that takes time: a table, a cache in front of a memory, an
/// arbitrated resource that several ports share. Asked once for every head.
class RouteLookup {
 public:
  virtual ~RouteLookup() = default;
  /// The hardware, with paper and section, one line. A look-up that is a module says it by Described, too.
  virtual std::string stands_for() const {
    Cycle cycles = 0;
    if (direct_routing(cycles) == nullptr) return "route look-up";
    return "route computation of any number of heads at once, cycles: " + std::to_string(cycles);
  }
  virtual void bind_client(RouteClient& client) = 0;
  /// The routing behind a look-up that answers any number of heads at once, each after `cycles`, and keeps no
  /// record of the question: a router may ask it directly, and another one that takes its place. Null for
  /// every other look-up.
  virtual const routing::Routing* direct_routing(Cycle& /*cycles*/) const { return nullptr; }
  /// A head asks in cycle `now`. If the time of the answer is known, `candidates` is set and the cycle from
  /// which it may be used returned (`now` for a look-up that takes no time). Otherwise returns `never`, and
  /// the answer comes through RouteClient with the same ticket. A ticket is not used again before its answer
  /// or cancellation.
  virtual Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                        routing::RouteSet& candidates) = 0;
  /// The answer is not wanted any more (the packet was purged, a timeout asks anew). No answer comes for it.
  virtual void cancel(Cycle now, std::uint32_t ticket) = 0;
  /// A look-up whose router runs it: run() in each cycle in which the router runs, before any question of
  /// that cycle.
  virtual bool is_run_by_router() const { return false; }
  /// Gives the answers that are decided upon in cycle `now`.
  virtual void run(Cycle /*now*/) {}
  /// The next cycle, after `now`, in which run() has something to do; `never` without a question.
  virtual Cycle next_run(Cycle /*now*/) const { return never; }
  /// Between cycle `now` and the next one, for a look-up of one router that is not asked directly: questions
  /// from the next cycle on are answered by another routing. The client cancels those under way.
  virtual void exchange_routing(const routing::Routing& /*routing*/, Cycle now) {
    throw ModelError("route look-up", now, "", "it has tables of its own, which no other routing replaces");
  }
};

}  // namespace tsuji
