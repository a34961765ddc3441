// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/routing/compact/compact_tables.h"
#include "tsuji/routing/compact/coordinate_space.h"

namespace tsuji::routing {

/// Search for the entry nearest to each destination of a run, of equal ones the first. Takes time
/// proportional to the entries plus the run's length times the different first coordinates of the entries, so
/// many entries in a column cost no more than one. For a run of one destination, columns beyond the nearest
/// entry are skipped.
class NearestEntry {
 public:
  /// The data of an entry that the search needs.
  struct Site {
    std::uint32_t column = 0;  ///< first coordinate
    std::uint32_t index = 0;   ///< index in the router's list
    RouterId at = 0;
  };

  /// Lists have at most `most_entries`. ConfigError (routing.kind) if distances do not fit into keys of 63
  /// bits.
  NearestEntry(const CoordinateSpace& space, unsigned most_entries);

  /// Appends a list of entries sorted by column.
  template <class Entries>
  static void add_sites(const CoordinateSpace& space, const Entries& entries, std::vector<Site>& sites) {
    const std::size_t first = sites.size();
    std::uint32_t index = 0;
    for (const CompactEntry& entry : entries)
      sites.push_back({space.at(0, entry.destination), index++, entry.destination});
    sort_by_column(sites, first);
  }

  /// Writes the index of the nearest site for each destination of the run. There must be at least one site.
  void search(const CoordinateSpace::Run& run, const Site* first, const Site* last,
              std::vector<std::uint32_t>& indices);

 private:
  /// Distance and index in one number: the smallest is the nearest, of equal ones the first.
  template <class Key>
  struct Keys {
    /// Terms of the first dimension, shifted, from -span on (CoordinateSpace::terms()).
    std::vector<Key> terms;
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
  bool terms_rise_ = true;  ///< terms increase with the distance in the first dimension, unlike on rings
  Keys<std::int32_t> narrow_keys_;
  Keys<std::int64_t> wide_keys_;
};

/// Choices of all routers with some tables; keeps a reference to the tables.
class CompactChoice {
 public:
  explicit CompactChoice(const CompactTables& tables);
  /// Indices of the entries that `router`, which must have entries, chooses for the destinations of a run.
  /// Undefined for the router itself and for dead routers. Valid until the next call.
  const std::vector<std::uint32_t>& choose(const CoordinateSpace::Run& run, RouterId router) {
    nearest_.search(run, sites_.data() + first_[router], sites_.data() + first_[router + 1], indices_);
    return indices_;
  }
  bool has_entries(RouterId router) const { return first_[router] != first_[router + 1]; }

 private:
  NearestEntry nearest_;
  std::vector<std::size_t> first_;  ///< [router], with one more element: index into sites_
  std::vector<NearestEntry::Site> sites_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace tsuji::routing
