// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/units.h"
#include "tsuji/routing/routing.h"

namespace tsuji {

/// Client of a route look-up: receives answers that come later than the request.
class RouteClient {
 public:
  virtual ~RouteClient() = default;
  /// Delivers the answer to request `ticket`, usable from cycle `at` on, which is later than the current
  /// cycle.
  virtual void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) = 0;
};

/// Route computation as a timed part of a router: a table, a cache in front of a memory, or an arbitrated
/// resource shared by several ports. Each head makes one request.
///
/// Contract: bind_client() once. Then for each head request(); if it returns `never`, the answer comes by
/// RouteClient::route_answer() unless cancel() is called first. If is_run_by_router(), the router calls
/// run(now) in each cycle in which it runs, before the requests of the cycle, and runs in cycle
/// next_run(now), too. exchange_routing() is called between two cycles.
class RouteLookup {
 public:
  virtual ~RouteLookup() = default;
  /// The modelled hardware in one line, with paper and section. A look-up that is a module has it in
  /// Described, too.
  virtual std::string stands_for() const {
    Cycle cycles = 0;
    if (direct_routing(cycles) == nullptr) return "route look-up";
    return "route computation of any number of heads at once, cycles: " + std::to_string(cycles);
  }
  /// Binds the client, which gets the answers to requests that returned `never`. Called once, before the
  /// first request; the client outlives the look-up's use.
  virtual void bind_client(RouteClient& client) = 0;
  /// The routing algorithm of a look-up that answers any number of requests at once, each after `cycles`, and
  /// keeps no record of them: a router may then call Routing::route() directly, also of another routing that
  /// replaces this one. Null for every other look-up.
  virtual const routing::Routing* direct_routing(Cycle& /*cycles*/) const { return nullptr; }
  /// Requests the route of a head in cycle `now`. If the time of the answer is known, sets `candidates` and
  /// returns the first cycle in which they may be used (`now` for a look-up without latency). Otherwise
  /// returns `never`, and the answer comes through RouteClient with this ticket. A ticket is not reused
  /// before its answer or its cancellation.
  virtual Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                        routing::RouteSet& candidates) = 0;
  /// Cancels a request (purged packet, repeated request after a timeout): no answer comes for it.
  virtual void cancel(Cycle now, std::uint32_t ticket) = 0;
  /// Returns true if the router runs the look-up (run()).
  virtual bool is_run_by_router() const { return false; }
  /// Decides on requests in cycle `now` and delivers their answers.
  virtual void run(Cycle /*now*/) {}
  /// The next cycle after `now` in which run() has work; `never` without an open request.
  virtual Cycle next_run(Cycle /*now*/) const { return never; }
  /// Requests from cycle `now` + 1 on are answered by `routing`. The client cancels the open ones. Only for a
  /// look-up of a single router that has no direct_routing(). ModelError if the tables cannot be replaced.
  virtual void exchange_routing(const routing::Routing& /*routing*/, Cycle now) {
    throw ModelError("route look-up", now, "", "it has tables of its own, which no other routing replaces");
  }
};

}  // namespace tsuji
