// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/nearest_entry.h"

#include <algorithm>
#include <limits>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::routing {

NearestEntry::NearestEntry(const CoordinateSpace& space, unsigned most_entries) : space_(space) {
  while ((std::uint64_t{1} << index_bits_) < most_entries) ++index_bits_;
  const std::uint64_t largest_sum = 2 * space.farthest();  // bound for the sum of two keys
  if (largest_sum >> (62 - index_bits_) != 0)
    throw ConfigError("routing.kind", "compact", "the routers' coordinates are too far apart",
                      "coordinates that are closer together");
  narrow_ = largest_sum >> (30 - index_bits_) == 0;
  narrow_ ? prepare(narrow_keys_) : prepare(wide_keys_);
}

template <class Key>
void NearestEntry::prepare(Keys<Key>& keys) {
  const std::uint32_t* const middle = space_.terms(0);
  const auto span = static_cast<std::ptrdiff_t>(space_.span(0));
  for (std::ptrdiff_t apart = -span; apart <= span; ++apart)
    keys.terms.push_back(static_cast<Key>(static_cast<Key>(middle[apart]) << index_bits_));
  for (std::ptrdiff_t apart = 0; apart < span; ++apart)
    terms_rise_ = terms_rise_ && middle[apart] <= middle[apart + 1] && middle[-apart] <= middle[-apart - 1];
}

void NearestEntry::sort_by_column(std::vector<Site>& sites, std::size_t first) {
  std::sort(sites.begin() + static_cast<std::ptrdiff_t>(first), sites.end(),
            [](const Site& a, const Site& b) {
              return a.column != b.column ? a.column < b.column : a.index < b.index;
            });
}

void NearestEntry::search(const CoordinateSpace::Run& run, const Site* first, const Site* last,
                          std::vector<std::uint32_t>& indices) {
  narrow_ ? search(run, first, last, narrow_keys_, indices) : search(run, first, last, wide_keys_, indices);
}

/// Searches outwards from the destination's column, as long as a column may have an entry at most as far.
template <class Key>
Key NearestEntry::nearest_to(RouterId destination, const Site* first, const Site* last,
                             const Keys<Key>& keys) const {
  const std::uint32_t column = space_.at(0, destination);
  const Key* const terms = &keys.terms[column + space_.span(0)];
  const auto term = [terms](const Site& site) { return *(terms - site.column); };
  const Site* const middle = std::lower_bound(
      first, last, column, [](const Site& site, std::uint32_t other) { return site.column < other; });
  Key best = std::numeric_limits<Key>::max();
  for (const Site* site = middle; site != last && term(*site) <= best; ++site)
    best = std::min(best, static_cast<Key>(term(*site) + key_beyond_first<Key>(destination, *site)));
  for (const Site* site = middle; site != first && term(site[-1]) <= best; --site)
    best = std::min(best, static_cast<Key>(term(site[-1]) + key_beyond_first<Key>(destination, site[-1])));
  return best;
}

template <class Key>
void NearestEntry::search(const CoordinateSpace::Run& run, const Site* first, const Site* last,
                          Keys<Key>& keys, std::vector<std::uint32_t>& indices) const {
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << index_bits_) - 1);
  if (run.length == 1 && terms_rise_) {
    indices.assign(1, static_cast<std::uint32_t>(nearest_to(run.first, first, last, keys)) & mask);
    return;
  }
  keys.best.assign(run.length, std::numeric_limits<Key>::max());
  Key* const best = keys.best.data();
  const std::uint32_t start = space_.at(0, run.first) + space_.span(0);
  while (first != last) {
    // All sites of a column change by the same amount along the run, so one of them is the nearest
    // everywhere.
    const std::uint32_t column = first->column;
    Key least = std::numeric_limits<Key>::max();
    for (; first != last && first->column == column; ++first) {
      least = std::min(least, key_beyond_first<Key>(run.first, *first));
    }
    const Key* const terms = &keys.terms[start - column];
    for (unsigned k = 0; k < run.length; ++k) {
      const Key key = terms[k] + least;
      best[k] = key < best[k] ? key : best[k];
    }
  }
  indices.resize(run.length);
  for (unsigned k = 0; k < run.length; ++k) indices[k] = static_cast<std::uint32_t>(best[k]) & mask;
}

CompactChoice::CompactChoice(const CompactTables& tables)
    : nearest_(tables.space(), tables.most_entries()), first_{0} {
  sites_.reserve(tables.all_entries());
  for (RouterId router = 0; router < tables.routers(); ++router) {
    NearestEntry::add_sites(tables.space(), tables.entries(router), sites_);
    first_.push_back(sites_.size());
  }
}

}  // namespace tsuji::routing
