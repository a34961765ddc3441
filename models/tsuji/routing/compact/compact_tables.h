// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/graph/all_hops.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/routing/compact/coordinate_space.h"

namespace tsuji::routing {

/// Condition for adding the entries of a shortest path to the tables (Compact Tables, section 2).
enum class CompactRoom : std::uint8_t {
  free,   ///< every router of the path has a free entry
  needed  ///< every router of the path has a free entry, or an entry for the destination
};

struct CompactConfig {
  /// Largest number of entries of a router; empty: CompactTables::usual_entries() of the mandatory ones.
  std::optional<std::uint64_t> entries;
  CompactRoom room = CompactRoom::free;
  CoordinateDistance distance = CoordinateDistance::euclid;
};

/// Route to another router, by the shortest path whose next router has the lowest number.
struct CompactEntry {
  RouterId destination = 0;
  std::uint16_t port = 0;
  std::uint16_t hops = 0;
  bool operator==(const CompactEntry& other) const {
    return destination == other.destination && port == other.port && hops == other.hops;
  }
};

/// Numbers of mandatory entries of a router.
struct MandatoryEntries {
  std::uint16_t beside = 0;  ///< number of entries on shortest paths between routers at Manhattan distance 1
  std::uint16_t completion =
      0;  ///< number of further entries, on paths to routers to which no other entry is nearer
  unsigned all() const { return unsigned{beside} + completion; }
};

/// Compact routing tables (Compact Tables, sections 2 and 3; rooms/routing.md, Compact tables): each router
/// has entries for some destinations, sorted by hops. A packet follows the entry nearest to its destination,
/// of equal ones the first. Immutable; keeps no reference to topology and network. Construction takes time
/// proportional to the entries, after distances between all pairs.
class CompactTables {
 public:
  static constexpr unsigned most_routers = 16'384;

  /// Tables of a network's living routers. ConfigError: those of CoordinateSpace and AllHops; routers that
  /// are not connected without faults (routing.kind); more than `most_routers`; fewer entries than mandatory
  /// (routing.entries, with the router and the number).
  CompactTables(const graph::Topology& topology, const graph::LivingNetwork& network,
                const CompactConfig& config);
  /// Constructs the tables with known distances.
  CompactTables(const graph::Topology& topology, const graph::LivingNetwork& network,
                const graph::AllHops& hops, const CompactConfig& config);
  /// Tables with arbitrary contents, for checks; no entry counts as mandatory.
  CompactTables(CoordinateSpace space, const std::vector<std::vector<CompactEntry>>& entries);

  unsigned routers() const { return space_.routers(); }
  const CoordinateSpace& space() const { return space_; }

  class Entries {
   public:
    Entries(const CompactEntry* first, const CompactEntry* last) : first_(first), last_(last) {}
    const CompactEntry* begin() const { return first_; }
    const CompactEntry* end() const { return last_; }
    unsigned size() const { return static_cast<unsigned>(last_ - first_); }
    const CompactEntry& operator[](unsigned index) const { return first_[index]; }

   private:
    const CompactEntry *first_, *last_;
  };
  /// Entries of a router in the order of the hardware; none for a dead router.
  Entries entries(RouterId router) const {
    return {entries_.data() + first_[router], entries_.data() + first_[router + 1]};
  }
  /// Index of the entry that a packet at `router` for another router follows: the nearest to the destination,
  /// of equal ones the first. Linear search; CompactChoice is for all pairs. The router must have an entry.
  unsigned choose(RouterId router, RouterId destination) const;

  /// Largest number of entries of a router.
  unsigned capacity() const { return capacity_; }
  /// Number of entries of the router with most entries.
  unsigned most_entries() const;
  std::size_t all_entries() const { return entries_.size(); }
  MandatoryEntries mandatory(RouterId router) const { return mandatory_[router]; }
  /// First router with the largest number of mandatory entries.
  RouterId most_mandatory() const;

  /// Usual table size for `mandatory` entries of the router with most: the smallest power of two that is at
  /// least twice that number.
  static unsigned usual_entries(unsigned mandatory);

 private:
  void lay_out(const std::vector<std::vector<CompactEntry>>& entries);

  CoordinateSpace space_;
  std::vector<std::uint32_t> first_;  ///< [router], with one more element: index into entries_
  std::vector<CompactEntry> entries_;
  std::vector<MandatoryEntries> mandatory_;
  unsigned capacity_ = 0;
};

}  // namespace tsuji::routing
