// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::test {

/// A routing by a test's script, which is called without candidates, or with those of a base, and changes
/// them. Its fields are set before the routing is used.
class ScriptedRouting final : public routing::Routing {
 public:
  using Script = std::function<void(const routing::RouteQuery&, routing::RouteSet&)>;
  using Injection = std::function<routing::VcMask(End source, End destination)>;

  explicit ScriptedRouting(routing::VcMask into, Script script = nullptr, unsigned max_candidates = 1)
      : injection(always(into)), most(max_candidates), script_(std::move(script)) {}
  /// Keeps the base's requirements, its random choices and decisions, and of its promises always_leads_on
  /// alone.
  explicit ScriptedRouting(const routing::Routing& base, Script script = nullptr)
      : injection([&base](End from, End to) { return base.injection_vcs(from, to); }),
        needed(base.vcs_needed()),
        most(base.max_candidates()),
        choices(base.random_choices()),
        decider(base.decisions()),
        base_(&base),
        script_(std::move(script)) {
    promised.always_leads_on = base.promises().always_leads_on;
  }
  static Injection always(routing::VcMask vcs) {
    return [vcs](End, End) { return vcs; };
  }

  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    if (base_ != nullptr) base_->route(query, candidates);
    if (script_) script_(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    return injection(source, destination);
  }
  unsigned vcs_needed() const override { return needed; }
  unsigned max_candidates() const override { return most; }
  routing::RoutingPromises promises() const override { return promised; }
  const routing::RandomChoices* random_choices() const override { return choices; }
  const routing::RouteDecisions* decisions() const override { return decider; }
  const routing::TableReads* table_reads() const override { return reads; }
  const routing::DeadlockRecovery* recovery() const override { return ways; }
  const routing::TableImage* table_image() const override { return image; }
  const routing::RouteHints* hints() const override { return hinting; }

  Injection injection;
  unsigned needed = 1, most;
  routing::RoutingPromises promised;
  const routing::RandomChoices* choices = nullptr;
  const routing::RouteDecisions* decider = nullptr;
  const routing::TableReads* reads = nullptr;
  const routing::DeadlockRecovery* ways = nullptr;
  const routing::TableImage* image = nullptr;
  const routing::RouteHints* hinting = nullptr;

 private:
  const routing::Routing* base_ = nullptr;
  Script script_;
};

/// Decisions by a test's scripts.
class ScriptedDecisions final : public routing::RouteDecisions {
 public:
  using Decide = std::function<routing::Decision(const routing::RouteQuery&, const routing::OutputBuffers&)>;
  using All = std::function<std::vector<Possible>(const routing::RouteQuery&)>;

  explicit ScriptedDecisions(Decide decide, All all = nullptr)
      : decide_(std::move(decide)), all_(std::move(all)) {}
  routing::Decision decide(const routing::RouteQuery& query,
                           const routing::OutputBuffers& outputs) const override {
    return decide_(query, outputs);
  }
  std::vector<Possible> possible(const routing::RouteQuery& query) const override { return all_(query); }
  bool reads_waiting() const override { return waiting; }

  bool waiting = false;  ///< decide() reads waiting flits

 private:
  Decide decide_;
  All all_;
};

/// A script that plants other candidates at one router, for packets of one class to one node.
inline ScriptedRouting::Script planted(routing::RouterId router, End destination,
                                       const std::vector<routing::RouteCandidate>& instead,
                                       PacketClass packet_class = PacketClass::normal) {
  return [=](const routing::RouteQuery& query, routing::RouteSet& candidates) {
    if (query.router != router || query.destination != destination || query.packet_class != packet_class)
      return;
    candidates.clear();
    for (const routing::RouteCandidate& one : instead) candidates.add(one.port, one.vcs, one.rank);
  };
}

}  // namespace tsuji::test
