// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/routing/compact/compact_tables.h"
#include "tsuji/routing/compact/coordinate_space.h"

namespace tsuji::routing {

/// Searches of the entry nearest to each destination of a run, of equals the first of its list. Time grows
/// with entries, and with the run times the different first coordinates of the entries; so a run of a row
/// costs no more with many entries than with one in each column. For a run of one destination columns are
/// left out that lie beyond the nearest entry.
class NearestEntry {
 public:
  /// A router's entry, as far as the search needs it.
  struct Site {
    std::uint32_t column = 0;  ///< first coordinate
    std::uint32_t index = 0;   ///< in the router's list
    RouterId at = 0;
  };

  /// Lists have at most `most_entries`. ConfigError (routing.kind) where coordinates are too far apart for
  /// keys of 63 bits.
  NearestEntry(const CoordinateSpace& space, unsigned most_entries);

  /// Appends a list of entries by rising columns.
  template <class Entries>
  static void add_sites(const CoordinateSpace& space, const Entries& entries, std::vector<Site>& sites) {
    const std::size_t first = sites.size();
    std::uint32_t index = 0;
    for (const CompactEntry& entry : entries)
      sites.push_back({space.at(0, entry.destination), index++, entry.destination});
    sort_by_column(sites, first);
  }

  /// Writes the index of the nearest site for each destination of the run; there is at least one site.
  void search(const CoordinateSpace::Run& run, const Site* first, const Site* last,
              std::vector<std::uint32_t>& indices);

 private:
  /// Distance and index in one number, so that the least is the nearest and of equals the first.
  template <class Key>
  struct Keys {
    std::vector<Key> terms;  ///< of the first dimension, shifted; CoordinateSpace::terms() from -span on
    std::vector<Key> best;
  };
  static void sort_by_column(std::vector<Site>& sites, std::size_t first);
  template <class Key>
  void prepare(Keys<Key>& keys);
  template <class Key>
  void search(const CoordinateSpace::Run& run, const Site* first, const Site* last, Keys<Key>& keys,
              std::vector<std::uint32_t>& indices) const;

  template <class Key>
  Key nearest_to(RouterId destination, const Site* first, const Site* last, const Keys<Key>& keys) const;
  template <class Key>
  Key key_beyond_first(RouterId destination, const Site& site) const {
    const auto beyond = static_cast<Key>(space_.distance_beyond_first(destination, site.at));
    return static_cast<Key>(beyond << index_bits_ | static_cast<Key>(site.index));
  }

  const CoordinateSpace& space_;
  unsigned index_bits_ = 1;
  bool narrow_ = true;
  bool terms_rise_ = true;  ///< with the distance in the first dimension, which they do not round rings
  Keys<std::int32_t> narrow_keys_;
  Keys<std::int64_t> wide_keys_;
};

/// Choices of all routers with some tables, which it refers to.
class CompactChoice {
 public:
  explicit CompactChoice(const CompactTables& tables);
  /// Indices of the entries that `router`, which has entries, chooses for the destinations of a run. Those
  /// for the router itself, and for routers that do not live, mean nothing. Valid until the next call.
  const std::vector<std::uint32_t>& choose(const CoordinateSpace::Run& run, RouterId router) {
    nearest_.search(run, sites_.data() + first_[router], sites_.data() + first_[router + 1], indices_);
    return indices_;
  }
  bool has_entries(RouterId router) const { return first_[router] != first_[router + 1]; }

 private:
  NearestEntry nearest_;
  std::vector<std::size_t> first_;  ///< per router and one more, into sites_
  std::vector<NearestEntry::Site> sites_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace tsuji::routing
