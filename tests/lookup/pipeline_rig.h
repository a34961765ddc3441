// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/lookup/queued_lookup.h"

namespace tsuji::lookup::test {

/// Routes to port (destination + in_port) of 4 ports and a virtual channel that depends on both; with a map,
/// a packet keeps its virtual channel. Without `ports_differ` routes to port destination from every input
/// port. One class, since its table is an image of route().
class SomeRouting final : public routing::Routing, public routing::TableImage {
 public:
  explicit SomeRouting(bool mapped = false, bool ports_differ = true)
      : mapped_(mapped), ports_differ_(ports_differ) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    const unsigned sum = query.destination.node() + (ports_differ_ ? query.in_port : 0);
    candidates.add(sum % 4, mapped_ ? routing::VcMask{0xf} : static_cast<routing::VcMask>(1U << sum / 4 % 4));
  }
  routing::VcMask injection_vcs(End, End) const override { return 0xf; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }
  const routing::TableImage* table_image() const override { return this; }
  routing::RouteCandidate table_entry(graph::RouterId router, std::uint32_t in_port,
                                      NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }
  routing::TableForm table_form() const override {
    return mapped_ ? routing::TableForm::port_and_vc_map : routing::TableForm::port_and_vcs;
  }
  routing::VcMap vc_map(routing::RouterId, std::uint32_t, std::uint32_t in_vc, std::uint32_t) const override {
    return {static_cast<routing::VcMask>(1U << in_vc), 0xf};
  }

 private:
  const bool mapped_, ports_differ_;
};

struct Answer {
  Cycle at = 0;
  unsigned port = 0, vcs = 0;
};
inline bool operator==(const Answer& a, const Answer& b) {
  return a.at == b.at && a.port == b.port && a.vcs == b.vcs;
}

/// Four ports of four virtual channels with 8 entries each, driven by hand. Records the answers by ticket.
struct Pipeline final : RouteClient {
  static constexpr unsigned ports = 4, vcs = 4, nodes = 64;

  explicit Pipeline(const LookupTiming& timing, const RoutingTableCacheConfig& cache = {8, 2, "lru", false},
                    bool mapped = false)
      : routing(mapped), keys(nodes, Identifiers::random, 3), shape(cache) {
    keys.remember_sets(KeyHash("crc32c"), shape.sets());
    parts = std::make_unique<LookupParts>(LookupParts{routing, keys, &shape, timing, vcs, 1});
    if (!timing.cam_is_shared()) {
      lookup = std::make_unique<CachedLookup>(*parts, 0, ports);
    } else {
      auto made = std::make_unique<QueuedLookup>(*parts, 0, ports);
      queued = made.get();
      lookup = std::move(made);
    }
    lookup->bind_client(*this);
  }
  void ask(Cycle now, unsigned port, unsigned vc, NodeId destination, std::uint32_t ticket) {
    routing::RouteQuery query;
    query.in_port = port;
    query.in_vc = vc;
    query.destination = destination;
    routing::RouteSet candidates;
    const Cycle at = lookup->request(now, query, ticket, candidates);
    if (at != never) keep(ticket, at, candidates);
  }
  void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) override {
    late = late || at <= stepping;
    keep(ticket, at, candidates);
  }
  void keep(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) {
    Answer answer{at, 0, 0};
    if (candidates.size() == 1) answer = {at, candidates[0].port, candidates[0].vcs};
    twice = twice || !answers.emplace(ticket, answer).second;
  }
  void step(Cycle now) {
    stepping = now;
    if (queued != nullptr) queued->step(now);
  }

  SomeRouting routing;
  NodeKeys keys;
  CacheShape shape;
  std::unique_ptr<LookupParts> parts;
  std::unique_ptr<SwitchLookup> lookup;
  QueuedLookup* queued = nullptr;
  std::map<std::uint32_t, Answer> answers;
  bool late = false, twice = false;
  Cycle stepping = 0;
};

}  // namespace tsuji::lookup::test
