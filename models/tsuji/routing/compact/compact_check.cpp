// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact_check.h"

#include <algorithm>

#include "tsuji/routing/compact/nearest_entry.h"

namespace tsuji::routing {
namespace {

constexpr std::size_t most_problems = 5;

class Checker {
 public:
  Checker(const graph::LivingNetwork& network, const graph::AllHops& hops, const CompactTables& tables,
          const CompactCheckConfig& config)
      : network_(network),
        hops_(hops),
        tables_(tables),
        config_(config),
        choice_(tables),
        next_(tables.routers()),
        rank_(tables.routers()),
        links_(tables.routers()),
        marks_(tables.routers(), 0) {}

  CompactReport run() {
    check_entries();
    if (config_.destinations.empty()) {
      for (const CoordinateSpace::Run& run : tables_.space().runs()) follow_run(run, tables_.routers());
    } else {
      for (const RouterId to : config_.destinations)
        follow_run({to, 1}, static_cast<unsigned>(config_.destinations.size()));
    }
    return std::move(report_);
  }

 private:
  void problem(std::uint64_t& count, const std::string& text) {
    ++count;
    if (report_.problems.size() < most_problems) report_.problems.push_back(text);
  }
  static std::string pair_name(RouterId router, RouterId to) {
    return "router " + std::to_string(router) + ", destination " + std::to_string(to) + ": ";
  }
  void check_entries() {
    for (RouterId router = 0; router < tables_.routers(); ++router) {
      find_continued(router);
      unsigned before = 0;
      std::size_t index = 0;
      for (const CompactEntry& entry : tables_.entries(router)) {
        const char* const wrong = wrong_entry(router, entry, before, continued_[index++]);
        if (wrong != nullptr) problem(report_.wrong_entries, pair_name(router, entry.destination) + wrong);
        before = entry.hops;
      }
    }
  }
  /// Determines for each entry of a router whether its next router is the destination or has an entry for it.
  void find_continued(RouterId router) {
    const CompactTables::Entries entries = tables_.entries(router);
    continued_.assign(entries.size(), false);
    for (unsigned port = 0; port < network_.ports(); ++port) {
      if (!network_.lives(router) || !network_.lives_at(router, port)) continue;
      const RouterId next = network_.neighbour(router, port);
      ++mark_;
      marks_[next] = mark_;
      for (const CompactEntry& entry : tables_.entries(next)) marks_[entry.destination] = mark_;
      std::size_t index = 0;
      for (const CompactEntry& entry : entries) {
        if (entry.port == port) continued_[index] = marks_[entry.destination] == mark_;
        ++index;
      }
    }
  }
  /// The problem of an entry; null: none.
  const char* wrong_entry(RouterId router, const CompactEntry& entry, unsigned hops_before,
                          bool continued) const {
    if (!network_.lives(router) || !network_.lives(entry.destination) ||
        !network_.lives_at(router, entry.port))
      return "the entry is not of a living network";
    if (entry.hops < hops_before) return "the entry is listed after one with more hops";
    const RouterId next = network_.neighbour(router, entry.port);
    if (entry.hops != hops_(router, entry.destination) || entry.hops != hops_(next, entry.destination) + 1)
      return "the entry's hops are not those of a shortest path";
    if (!continued) return "the next router has no entry for the destination";
    return nullptr;
  }

  /// Finds the choices of all routers for a run, then follows them destination by destination.
  void follow_run(const CoordinateSpace::Run& run, unsigned all_destinations) {
    // Not a power of two, which would map to few cache sets.
    const std::size_t stride = tables_.routers() + 32;
    chosen_.resize(stride * run.length);
    for (RouterId router = 0; router < tables_.routers(); ++router) {
      if (!choice_.has_entries(router)) continue;
      const std::vector<std::uint32_t>& indices = choice_.choose(run, router);
      for (unsigned k = 0; k < run.length; ++k)
        chosen_[k * stride + router] = static_cast<std::uint16_t>(indices[k]);
    }
    for (unsigned k = 0; k < run.length; ++k)
      if (network_.lives(run.first + k)) follow(run.first + k, &chosen_[k * stride]);
    done_ += run.length;
    if (config_.progress) config_.progress(static_cast<double>(done_) / all_destinations);
  }

  void follow(RouterId to, const std::uint16_t* chosen) {
    rank(to, chosen);
    for (RouterId from = 0; from < tables_.routers(); ++from)
      if (from != to && next_[from] != graph::none) check_hop(from, to);
    measure(to);
  }

  /// Computes the next routers, and (distance to entry, hops to entry) as a number.
  void rank(RouterId to, const std::uint16_t* chosen) {
    const CoordinateSpace& space = tables_.space();
    for (RouterId router = 0; router < tables_.routers(); ++router) {
      next_[router] = graph::none;
      rank_[router] = 0;
      if (router == to || !network_.lives(router)) continue;
      if (!choice_.has_entries(router)) {
        problem(report_.no_nearer_entry, pair_name(router, to) + "there is no entry");
        continue;
      }
      const CompactEntry& entry = tables_.entries(router)[chosen[router]];
      const std::uint64_t distance = space.distance(to, entry.destination);
      rank_[router] = distance << 16 | entry.hops;
      if (network_.lives_at(router, entry.port)) next_[router] = network_.neighbour(router, entry.port);
      if (distance >= space.distance(to, router))
        problem(report_.no_nearer_entry, pair_name(router, to) + "no entry is nearer to the destination");
    }
  }

  void check_hop(RouterId from, RouterId to) {
    const RouterId next = next_[from];
    if (next == to) return;
    if (rank_[next] >= rank_[from])
      problem(report_.no_fall, pair_name(from, to) + "router " + std::to_string(next) +
                                   " is the next hop, and its entry is not nearer to the destination, or is "
                                   "equally near with no fewer hops");
    if (next_[next] == from)
      problem(report_.turns_back, pair_name(from, to) + "router " + std::to_string(next) + " sends it back");
  }

  /// Counts the links of all routes to a router, each computed once.
  void measure(RouterId to) {
    constexpr std::uint32_t unknown = ~std::uint32_t{0}, under_way = unknown - 1, lost = unknown - 2;
    std::fill(links_.begin(), links_.end(), unknown);
    links_[to] = 0;
    for (RouterId from = 0; from < tables_.routers(); ++from) {
      if (!network_.lives(from) || from == to) continue;
      walk_.clear();
      RouterId at = from;
      for (; at != graph::none && links_[at] == unknown; at = next_[at]) {
        links_[at] = under_way;
        walk_.push_back(at);
      }
      std::uint32_t links = at == graph::none ? lost : links_[at];
      if (links == under_way) links = lost;
      for (auto here = walk_.rbegin(); here != walk_.rend(); ++here)
        links_[*here] = links = links == lost ? lost : links + 1;
      count(from, to, links_[from] == lost);
    }
  }

  void count(RouterId from, RouterId to, bool lost) {
    ++report_.pairs;
    if (lost)
      return problem(report_.not_arriving, pair_name(from, to) + "the path does not reach the destination");
    const unsigned shortest = hops_(to, from), links = links_[from];
    report_.hops += links;
    report_.shortest_hops += shortest;
    report_.longest = std::max(report_.longest, links);
    report_.longest_shortest = std::max(report_.longest_shortest, shortest);
    if (links > report_.stretch * shortest) report_.stretch = static_cast<double>(links) / shortest;
  }

  const graph::LivingNetwork& network_;
  const graph::AllHops& hops_;
  const CompactTables& tables_;
  const CompactCheckConfig& config_;
  CompactChoice choice_;
  CompactReport report_;
  unsigned done_ = 0;
  std::vector<std::uint16_t> chosen_;  ///< [destination of a run][router]
  std::vector<RouterId> next_, walk_;
  std::vector<std::uint64_t> rank_;
  std::vector<std::uint32_t> links_;
  std::vector<bool> continued_;       ///< [entry of a router]
  std::vector<std::uint32_t> marks_;  ///< [router]
  std::uint32_t mark_ = 0;
};

}  // namespace

CompactReport check_compact(const graph::LivingNetwork& network, const graph::AllHops& hops,
                            const CompactTables& tables, const CompactCheckConfig& config) {
  return Checker(network, hops, tables, config).run();
}

}  // namespace tsuji::routing
