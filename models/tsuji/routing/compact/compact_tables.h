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

/// Condition for a shortest path's entries to come into the tables (Compact Tables, section 2).
enum class CompactRoom : std::uint8_t {
  free,   ///< every router of the path has a free entry
  needed  ///< every router of the path has a free entry, or holds the path's destination already
};

struct CompactConfig {
  /// Entries of a router at most; empty: CompactTables::usual_entries() of what the network needs.
  std::optional<std::uint64_t> entries;
  CompactRoom room = CompactRoom::free;
  CoordinateDistance distance = CoordinateDistance::euclid;
};

/// A router's way to another one, by the shortest path whose next router is the lowest.
struct CompactEntry {
  RouterId destination = 0;
  std::uint16_t port = 0;
  std::uint16_t hops = 0;
  bool operator==(const CompactEntry& other) const {
    return destination == other.destination && port == other.port && hops == other.hops;
  }
};

/// Numbers of entries that a router has to have.
struct MandatoryEntries {
  std::uint16_t beside = 0;      ///< on shortest paths between routers at Manhattan distance 1
  std::uint16_t completion = 0;  ///< on paths to routers that no other entry leads nearer to
  unsigned all() const { return unsigned{beside} + completion; }
};

/// Compact routing tables (Compact Tables, sections 2 and 3; rooms/routing.md, Compact tables): every router
/// has entries for some destinations, sorted by hops. A packet follows the entry that lies nearest to its
/// destination, of equals the first. Immutable; it keeps nothing of topology and network. Construction takes
/// time in proportion to the entries, after distances between all pairs.
class CompactTables {
 public:
  static constexpr unsigned most_routers = 16'384;

  /// Tables of a network's living routers. ConfigError: those of CoordinateSpace and AllHops; routers that
  /// are not connected without faults (routing.kind); more than `most_routers`; fewer entries than a router
  /// has to have (routing.entries, with the router and the number).
  CompactTables(const graph::Topology& topology, const graph::LivingNetwork& network,
                const CompactConfig& config);
  /// With distances that have been found before.
  CompactTables(const graph::Topology& topology, const graph::LivingNetwork& network,
                const graph::AllHops& hops, const CompactConfig& config);
  /// Tables of any contents, for checks; no entry counts as mandatory.
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
  /// Of a router, in the order in which hardware has them; none of a router that does not live.
  Entries entries(RouterId router) const {
    return {entries_.data() + first_[router], entries_.data() + first_[router + 1]};
  }
  /// Index of the entry that a packet at `router` for another router follows: the nearest to the destination,
  /// of equals the first. Plain search; compact_choice.h has all pairs. The router has an entry.
  unsigned choose(RouterId router, RouterId destination) const;

  /// Upper limit of the entries of a router.
  unsigned capacity() const { return capacity_; }
  /// Entries of the router with most of them.
  unsigned most_entries() const;
  std::size_t all_entries() const { return entries_.size(); }
  MandatoryEntries mandatory(RouterId router) const { return mandatory_[router]; }
  /// The first router with the most mandatory entries.
  RouterId most_mandatory() const;

  /// Entries for a network whose routers have to have up to `mandatory`: the next power of two from twice
  /// that number on.
  static unsigned usual_entries(unsigned mandatory);

 private:
  void lay_out(const std::vector<std::vector<CompactEntry>>& entries);

  CoordinateSpace space_;
  std::vector<std::uint32_t> first_;  ///< per router and one more, into entries_
  std::vector<CompactEntry> entries_;
  std::vector<MandatoryEntries> mandatory_;
  unsigned capacity_ = 0;
};

}  // namespace tsuji::routing
