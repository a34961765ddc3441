// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/lookup/cam.h"
#include "tsuji/routing/compact/coordinate_space.h"

namespace tsuji::lookup {

/// Unit that searches a compact routing table of two dimensions (Compact Tables, section 3).
struct CompactSearchConfig {
  std::uint32_t entries = 32;    ///< rows of the table, >= 1
  std::uint32_t per_cycle = 4;   ///< rows compared in a cycle, 1..entries
  unsigned coordinate_bits = 8;  ///< 1..16
  unsigned port_bits = 8;        ///< 1..16
  routing::CoordinateDistance distance = routing::CoordinateDistance::euclid;  ///< the unit knows no rings
  bool ends_early = false;  ///< a row at the destination itself ends the comparing after its cycle
  void validate() const;    ///< throws ConfigError
  /// Width of a distance: the farthest pair fits.
  unsigned distance_bits() const;
};

/// Cycles in which a table of `entries` rows, all of them in use, is compared; one more chooses. `exact`: row
/// that ends the comparing, where it ends early.
constexpr Cycle compare_cycles(std::uint32_t entries, std::uint32_t per_cycle,
                               std::optional<std::uint32_t> exact = std::nullopt) {
  return exact ? *exact / per_cycle + Cycle{1} : (Cycle{entries} + per_cycle - 1) / per_cycle;
}

struct GridPlace {
  std::uint32_t x = 0, y = 0;
};

struct CompactRow {
  GridPlace at;
  std::uint32_t port = 0;
};

/// Contents of a compact table and the choice among them, without time. Rows stand in the order of their
/// hops: of several at one distance the lowest is chosen.
class CompactSearch {
 public:
  struct Choice {
    std::uint32_t row, port;
  };
  explicit CompactSearch(const CompactSearchConfig& config);

  /// Writes a row, whatever it held. ModelError for a row that does not exist, or a coordinate or port that
  /// is wider than the table.
  void write(std::uint32_t row, const CompactRow& contents);
  /// A row that holds nothing holds nothing again.
  void erase(std::uint32_t row);
  /// The end of the highest row that holds an entry.
  std::uint32_t rows_in_use() const;
  /// From a row's entry to a place; none: the row holds nothing, or does not exist.
  std::optional<std::uint64_t> distance(std::uint32_t row, GridPlace to) const;
  std::uint32_t port(std::uint32_t row) const { return rows_[row]->port; }
  /// The row nearest to a place; none: the table is empty.
  std::optional<Choice> choose(GridPlace to) const;
  const CompactSearchConfig& config() const { return config_; }

 private:
  void check_row(std::uint32_t row) const;
  CompactSearchConfig config_;
  std::vector<std::optional<CompactRow>> rows_;
};

/// Request of the unit in a cycle: a search, or a change of the table.
struct CompactSearchRequest {
  bool valid = false;
  CamOperation operation = CamOperation::search;
  std::uint32_t row = 0;   ///< of insert and erase
  GridPlace place;         ///< of a search: its destination; of insert: of the row
  std::uint32_t port = 0;  ///< of insert
};
struct CompactSearchAnswer {
  bool ready = true;   ///< a request is taken in the next cycle
  bool valid = false;  ///< a search has its answer
  bool hit = false;    ///< there was a row
  std::uint32_t row = 0, port = 0;
};

/// The unit with its time, a clock edge a call. A search that is taken in cycle t compares rows 0..k-1 in t,
/// the next k in t + 1, and so on; comparator i keeps the nearest of rows i, k + i, 2 k + i, ...; a last
/// cycle chooses among the comparators. The answer is there compare_cycles() + 1 cycles after t, and the next
/// request is taken in its cycle at the earliest. A change of the table takes its cycle alone, so that no
/// search is under way meanwhile. The search of an empty table is answered in t + 1.
class CompactSearchState {
 public:
  /// The nearest row that a comparator of this search has seen.
  struct Nearest {
    bool valid = false;
    std::uint32_t row = 0, port = 0;
    std::uint64_t distance = 0;
  };
  explicit CompactSearchState(const CompactSearchConfig& config);
  /// The edge at the end of a cycle in which `request` stood at the inputs; gives the outputs of the next.
  CompactSearchAnswer step(const CompactSearchRequest& request);
  /// Empties the table and forgets what is under way.
  CompactSearchAnswer reset();

  const CompactSearch& contents() const { return table_; }
  /// First row that the next step compares.
  std::uint32_t comparing_row() const { return comparing_row_; }
  /// The next step chooses.
  bool choosing() const { return choosing_; }
  const std::vector<Nearest>& nearest() const { return nearest_; }
  std::uint64_t searches() const { return searches_; }
  /// Rows that held an entry when they were compared.
  std::uint64_t rows_compared() const { return rows_compared_; }

 private:
  void take(const CompactSearchRequest& request, CompactSearchAnswer& now);
  void compare();
  CompactSearchAnswer choose() const;

  CompactSearch table_;
  std::vector<Nearest> nearest_;  ///< by comparator
  GridPlace destination_;
  std::uint32_t comparing_row_ = 0;
  bool comparing_ = false, choosing_ = false;
  std::uint64_t searches_ = 0, rows_compared_ = 0;
};

}  // namespace tsuji::lookup
