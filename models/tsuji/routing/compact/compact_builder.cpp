// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact_builder.h"

#include <algorithm>

#include "tsuji/routing/compact/nearest_entry.h"

namespace tsuji::routing {
namespace {

constexpr std::uint32_t no_step = ~std::uint32_t{0};

/// Stable sort by a router, in linear time.
template <class Pair>
void sort_by(RouterId Pair::*router, unsigned routers, std::vector<Pair>& pairs) {
  std::vector<std::size_t> place(routers + 1, 0);
  for (const Pair& pair : pairs) ++place[pair.*router + 1];
  for (unsigned i = 0; i < routers; ++i) place[i + 1] += place[i];
  std::vector<Pair> sorted(pairs.size());
  for (const Pair& pair : pairs) sorted[place[pair.*router]++] = pair;
  pairs.swap(sorted);
}

}  // namespace

CompactBuilder::CompactBuilder(const graph::Topology& topology, const graph::LivingNetwork& network,
                               const graph::AllHops& hops, const CoordinateSpace& space)
    : network_(network),
      hops_(hops),
      space_(space),
      entries_(topology.routers()),
      mandatory_(topology.routers()),
      held_((std::size_t{topology.routers()} * topology.routers() + 63) / 64, 0) {
  for (RouterId router = 0; router < topology.routers(); ++router) {
    first_link_.push_back(static_cast<std::uint32_t>(links_.size()));
    const auto first = static_cast<std::ptrdiff_t>(links_.size());
    for (unsigned port = 0; port < topology.ports(router); ++port)
      if (network.lives_at(router, port))
        links_.push_back({network.neighbour(router, port), static_cast<std::uint16_t>(port)});
    std::stable_sort(links_.begin() + first, links_.end(),
                     [](const Link& a, const Link& b) { return a.to < b.to; });
    links_.erase(std::unique(links_.begin() + first, links_.end(),
                             [](const Link& a, const Link& b) { return a.to == b.to; }),
                 links_.end());
  }
  first_link_.push_back(static_cast<std::uint32_t>(links_.size()));
}

const CompactBuilder::Link& CompactBuilder::next(RouterId router, const std::uint8_t* hops) const {
  const Link* link = &links_[first_link_[router]];
  while (hops[link->to] + 1 != hops[router]) ++link;
  return *link;
}

/// Returns false if the router has the entry already.
bool CompactBuilder::insert(RouterId router, RouterId destination) {
  if (holds(router, destination)) return false;
  const std::size_t bit = std::size_t{router} * entries_.size() + destination;
  held_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  const std::uint8_t* const hops = hops_.row(destination);
  entries_[router].push_back({destination, next(router, hops).port, hops[router]});
  return true;
}

void CompactBuilder::add_mandatory_path(RouterId from, RouterId to, std::uint16_t MandatoryEntries::*count) {
  const std::uint8_t* const hops = hops_.row(to);
  for (RouterId at = from; at != to; at = next(at, hops).to)
    if (insert(at, to)) ++(mandatory_[at].*count);
}

void CompactBuilder::add_paths_beside() {
  for (RouterId router = 0; router < entries_.size(); ++router) {
    if (!network_.lives(router)) continue;
    for (RouterId beside : space_.beside(router))
      if (network_.lives(beside)) add_mandatory_path(router, beside, &MandatoryEntries::beside);
  }
}

std::vector<RouterId> CompactBuilder::without_nearer_entry(RouterId router) const {
  const std::vector<CompactEntry>& entries = entries_[router];
  std::vector<NearestEntry::Site> sites;
  NearestEntry::add_sites(space_, entries, sites);
  NearestEntry nearest(space_, static_cast<unsigned>(entries.size()));
  std::vector<std::uint32_t> indices;
  std::vector<RouterId> result;
  for (const CoordinateSpace::Run& run : space_.runs()) {
    if (!entries.empty()) nearest.search(run, sites.data(), sites.data() + sites.size(), indices);
    for (unsigned k = 0; k < run.length; ++k) {
      const RouterId to = run.first + k;
      if (to == router || !network_.lives(to)) continue;
      if (entries.empty() ||
          space_.distance(to, entries[indices[k]].destination) >= space_.distance(to, router))
        result.push_back(to);
    }
  }
  return result;
}

void CompactBuilder::complete(bool search_boxes) {
  if (space_.fill_box(network_.living()) && !search_boxes) return;
  std::vector<RouterId> added;
  for (RouterId router = 0; router < entries_.size(); ++router) {
    if (!network_.lives(router)) continue;
    added.clear();
    for (RouterId to : without_nearer_entry(router)) {
      if (std::any_of(added.begin(), added.end(), [&](RouterId entry) {
            return space_.distance(to, entry) < space_.distance(to, router);
          }))
        continue;
      add_mandatory_path(router, to, &MandatoryEntries::completion);
      added.push_back(to);
    }
  }
}

/// Pairs at distance `hops` whose paths continue paths of `nearer`, in the order of source and destination. A
/// path that does not fit excludes all longer paths that contain it, because full routers remain full.
std::vector<CompactBuilder::Pair> CompactBuilder::candidates(std::vector<Pair>& nearer, unsigned hops,
                                                             unsigned capacity, CompactRoom room) const {
  const auto routers = static_cast<unsigned>(entries_.size());
  sort_by(&Pair::to, routers, nearer);
  std::vector<Pair> result;
  for (const Pair& pair : nearer) {
    const std::uint8_t* const row = hops_.row(pair.to);
    for (std::uint32_t i = first_link_[pair.from]; i < first_link_[pair.from + 1]; ++i) {
      const RouterId from = links_[i].to;
      if (row[from] != hops || next(from, row).to != pair.from) continue;
      if (!full(from, capacity) || (room == CompactRoom::needed && holds(from, pair.to)))
        result.push_back({from, pair.to, pair.step});
    }
  }
  sort_by(&Pair::from, routers, result);
  return result;
}

bool CompactBuilder::fits(const Pair& pair, unsigned capacity, CompactRoom room) const {
  // All further routers of the path have an entry for its destination.
  if (room == CompactRoom::needed) return !full(pair.from, capacity) || holds(pair.from, pair.to);
  if (full(pair.from, capacity)) return false;
  for (const Step* step = &steps_[pair.step]; step->next != no_step; step = &steps_[step->next])
    if (full(step->at, capacity)) return false;
  return true;
}

void CompactBuilder::fill(unsigned capacity, CompactRoom room) {
  std::vector<Pair> fitting;
  for (RouterId router = 0; router < entries_.size(); ++router) {
    if (!network_.lives(router)) continue;
    fitting.push_back({router, router, static_cast<std::uint32_t>(steps_.size())});
    steps_.push_back({router, no_step});
  }
  for (unsigned hops = 1; !fitting.empty(); ++hops) {
    const std::vector<Pair> next = candidates(fitting, hops, capacity, room);
    fitting.clear();
    for (const Pair& pair : next) {
      if (!fits(pair, capacity, room)) continue;
      insert(pair.from, pair.to);
      fitting.push_back({pair.from, pair.to, static_cast<std::uint32_t>(steps_.size())});
      steps_.push_back({pair.from, pair.step});
    }
  }
}

void CompactBuilder::sort() {
  for (std::vector<CompactEntry>& entries : entries_)
    std::stable_sort(entries.begin(), entries.end(),
                     [](const CompactEntry& a, const CompactEntry& b) { return a.hops < b.hops; });
}

}  // namespace tsuji::routing
