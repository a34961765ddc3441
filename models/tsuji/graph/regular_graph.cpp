// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/regular_graph.h"

#include <algorithm>
#include <array>

#include "tsuji/core/error.h"

namespace tsuji::graph {
namespace {

constexpr unsigned restarts = 20;
constexpr unsigned swaps_per_router = 20;
constexpr unsigned attempts_per_swap = 20;
constexpr unsigned repairs_per_router = 1000;

/// One attempt to make such a graph.
class Builder {
 public:
  Builder(unsigned routers, unsigned degree, const WiringRule& rule, CounterRandom random)
      : degree_(degree), rule_(rule), random_(random), wires_(routers), seen_(routers, 0) {}

  bool build() {
    fill();
    if (!repair()) return false;
    swap_wires();
    return connected();
  }
  Neighbours take() {
    for (auto& list : wires_) std::sort(list.begin(), list.end());
    return std::move(wires_);
  }

 private:
  unsigned routers() const { return static_cast<unsigned>(wires_.size()); }
  bool free(RouterId a) const { return wires_[a].size() < degree_; }
  bool wired(RouterId a, RouterId b) const {
    return std::find(wires_[a].begin(), wires_[a].end(), b) != wires_[a].end();
  }
  bool allowed(RouterId a, RouterId b) const { return a != b && !wired(a, b) && rule_.may(a, b); }
  RouterId any_router() { return static_cast<RouterId>(random_.below(routers())); }
  RouterId any_neighbour(RouterId a) { return wires_[a][random_.below(wires_[a].size())]; }
  void add(RouterId a, RouterId b) {
    wires_[a].push_back(b);
    wires_[b].push_back(a);
  }
  void remove(RouterId a, RouterId b) {
    const auto drop = [&](RouterId from, RouterId to) {
      auto& list = wires_[from];
      *std::find(list.begin(), list.end(), to) = list.back();
      list.pop_back();
    };
    drop(a, b);
    drop(b, a);
  }

  void fill() {
    const std::uint64_t attempts = std::uint64_t{8} * degree_ * routers();
    for (std::uint64_t i = 0; i < attempts; ++i) {
      const RouterId a = any_router();
      if (!free(a)) continue;
      const RouterId b = rule_.draw(a, random_);
      if (free(b) && !wired(a, b)) add(a, b);
    }
  }

  /// Connects the remaining free ports. If two routers with free ports may not be connected, one of them
  /// takes over an end of another wire, and the router that lost it has the free port then.
  bool repair() {
    std::vector<RouterId> open;
    for (RouterId a = 0; a < routers(); ++a)
      for (std::size_t i = wires_[a].size(); i < degree_; ++i) open.push_back(a);
    for (std::uint64_t i = 0; !open.empty(); ++i) {
      if (i == std::uint64_t{repairs_per_router} * routers()) return false;
      std::swap(open[random_.below(open.size())], open.back());
      const RouterId a = open.back();
      const auto partner = std::find_if(open.begin(), open.end(), [&](RouterId b) { return allowed(a, b); });
      if (partner != open.end()) {
        add(a, *partner);
        open.pop_back();  // a is the last element, so the partner's position remains valid
        open.erase(partner);
        continue;
      }
      const RouterId b = rule_.draw(a, random_);
      if (wired(a, b) || wires_[b].empty()) continue;
      const RouterId c = any_neighbour(b);
      remove(b, c);
      add(a, b);
      open.back() = c;
    }
    return true;
  }

  bool connected() {
    seen_[0] = ++mark_;
    std::vector<RouterId> queue{0};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (RouterId next : wires_[queue[i]]) {
        if (seen_[next] == mark_) continue;
        seen_[next] = mark_;
        queue.push_back(next);
      }
    }
    return queue.size() == routers();
  }

  /// Returns true if there is a path from `a` to `b`. Searches from both ends in turn, so that neither search
  /// is large.
  bool joined(RouterId a, RouterId b) {
    mark_ += 2;
    std::array<std::size_t, 2> done{0, 0};
    for (const unsigned end : {0U, 1U}) {
      queues_[end].assign(1, end == 0 ? a : b);
      seen_[queues_[end][0]] = mark_ - end;
    }
    for (unsigned end = 0;; end = 1 - end) {
      std::vector<RouterId>& queue = queues_[end];
      if (done[end] == queue.size()) return false;
      for (RouterId next : wires_[queue[done[end]++]]) {
        if (seen_[next] == mark_ - end) continue;
        if (seen_[next] == mark_ - (1 - end)) return true;
        seen_[next] = mark_ - end;
        queue.push_back(next);
      }
    }
  }

  /// Replaces wires a-b and c-d by a-c and b-d, if the rule allows it and a and b remain connected. So
  /// components of the graph never split, but may be joined.
  bool try_swap() {
    const RouterId a = any_router(), b = any_neighbour(a);
    const RouterId c = rule_.draw(a, random_), d = any_neighbour(c);
    if (wired(a, c) || !allowed(b, d)) return false;
    remove(a, b);
    remove(c, d);
    add(a, c);
    add(b, d);
    if (joined(a, b)) return true;
    remove(a, c);
    remove(b, d);
    add(a, b);
    add(c, d);
    return false;
  }

  void swap_wires() {
    std::uint64_t swaps = std::uint64_t{swaps_per_router} * routers();
    for (std::uint64_t attempts = swaps * attempts_per_swap; swaps > 0 && attempts > 0; --attempts)
      if (try_swap()) --swaps;
  }

  unsigned degree_;
  const WiringRule& rule_;
  CounterRandom random_;
  Neighbours wires_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t mark_ = 0;
  std::array<std::vector<RouterId>, 2> queues_;
};

}  // namespace

Neighbours make_regular_graph(unsigned routers, unsigned degree, const WiringRule& rule, std::uint64_t seed,
                              const std::string& key) {
  if (degree < 2 || degree > 128)
    throw ConfigError("topology.degree", std::to_string(degree), "no such degree", "2..128");
  if (std::uint64_t{routers} * degree % 2 != 0)
    throw ConfigError("topology.degree", std::to_string(degree),
                      std::to_string(routers) + " routers have an odd number of wire ends", "an even degree");
  for (RouterId a = 0; a < routers; ++a) {
    if (rule.reach(a) < degree)
      throw ConfigError(key, std::to_string(degree) + " wires",
                        "router " + std::to_string(a) + " may be wired to " + std::to_string(rule.reach(a)) +
                            " others only",
                        "a degree of at most that, or a longer reach");
  }
  for (unsigned attempt = 0; attempt < restarts; ++attempt) {
    Builder builder(routers, degree, rule, CounterRandom(seed, attempt));
    if (builder.build()) return builder.take();
  }
  throw ConfigError(key, std::to_string(degree) + " wires",
                    "no connected graph was found in " + std::to_string(restarts) + " attempts",
                    "another degree or seed, or a longer reach");
}

}  // namespace tsuji::graph
