// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/lookup/cam.h"
#include "tsuji/routing/compact/coordinate_space.h"

namespace tsuji::lookup {

/// Configuration of a unit that searches a compact routing table of two dimensions (Compact Tables, section
/// 3).
struct CompactSearchConfig {
  std::uint32_t entries = 32;    ///< rows of the table, >= 1
  std::uint32_t per_cycle = 4;   ///< rows compared per cycle, 1..entries
  unsigned coordinate_bits = 8;  ///< width of a coordinate, 1..16
  unsigned port_bits = 8;        ///< width of a port number, 1..16
  /// The unit does not support rings.
  routing::CoordinateDistance distance = routing::CoordinateDistance::euclid;
  bool ends_early = false;  ///< a match with the destination itself ends the comparison after its cycle
  void validate() const;    ///< throws ConfigError
  /// Width in bits of a distance, enough for the farthest pair.
  unsigned distance_bits() const;
};

/// Number of cycles to compare `entries` rows in use; the selection takes one more. `exact`: row that ends
/// the comparison early.
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

/// Contents and search of a compact table, without timing. Rows are in the order of their hops: of several
/// rows at the least distance the first is selected.
class CompactSearch {
 public:
  struct Choice {
    std::uint32_t row, port;
  };
  explicit CompactSearch(const CompactSearchConfig& config);

  /// Writes a row and overwrites its contents. ModelError for a row that does not exist, or a coordinate or
  /// port wider than the table.
  void write(std::uint32_t row, const CompactRow& contents);
  /// Empties a row; no effect on an empty one.
  void erase(std::uint32_t row);
  /// One more than the highest row with an entry.
  std::uint32_t rows_in_use() const;
  /// Distance from a row's entry to a place; none for an empty row or one that does not exist.
  std::optional<std::uint64_t> distance(std::uint32_t row, GridPlace to) const;
  std::uint32_t port(std::uint32_t row) const { return rows_[row]->port; }
  /// The row nearest to a place; none for an empty table.
  std::optional<Choice> choose(GridPlace to) const;
  const CompactSearchConfig& config() const { return config_; }

 private:
  void check_row(std::uint32_t row) const;
  CompactSearchConfig config_;
  std::vector<std::optional<CompactRow>> rows_;
};

/// Inputs of the unit in a cycle: a search, or a change of the table.
struct CompactSearchRequest {
  bool valid = false;
  CamOperation operation = CamOperation::search;
  std::uint32_t row = 0;   ///< row for insert and erase
  GridPlace place;         ///< search: destination; insert: place of the row
  std::uint32_t port = 0;  ///< port for insert
};
struct CompactSearchAnswer {
  bool ready = true;   ///< a request is accepted in the next cycle
  bool valid = false;  ///< answer to a search
  bool hit = false;    ///< the table was not empty
  std::uint32_t row = 0, port = 0;
};

/// Search unit with timing, one clock edge per call. A search that is accepted in cycle t compares rows
/// 0..k-1 in t, the next k in t + 1, and so on; comparator i keeps the nearest of rows i, k + i, 2 k + i,
/// ...; a last cycle selects among the comparators. The answer is valid compare_cycles() + 1 cycles after t,
/// and the next request is accepted in that cycle or later. A change of the table takes one cycle, without a
/// search in progress. The search of an empty table is answered in t + 1.
class CompactSearchState {
 public:
  /// Nearest row that a comparator of this search has seen.
  struct Nearest {
    bool valid = false;
    std::uint32_t row = 0, port = 0;
    std::uint64_t distance = 0;
  };
  explicit CompactSearchState(const CompactSearchConfig& config);
  /// Clock edge at the end of a cycle with `request` at the inputs; returns the outputs of the next cycle.
  CompactSearchAnswer step(const CompactSearchRequest& request);
  /// Empties the table and discards the search in progress.
  CompactSearchAnswer reset();

  const CompactSearch& contents() const { return table_; }
  /// First row that the next step compares.
  std::uint32_t comparing_row() const { return comparing_row_; }
  /// Returns true if the next step selects.
  bool choosing() const { return choosing_; }
  const std::vector<Nearest>& nearest() const { return nearest_; }
  std::uint64_t searches() const { return searches_; }
  /// Number of comparisons with rows that had an entry.
  std::uint64_t rows_compared() const { return rows_compared_; }

 private:
  void take(const CompactSearchRequest& request, CompactSearchAnswer& now);
  void compare();
  CompactSearchAnswer choose() const;

  CompactSearch table_;
  std::vector<Nearest> nearest_;  ///< [comparator]
  GridPlace destination_;
  std::uint32_t comparing_row_ = 0;
  bool comparing_ = false, choosing_ = false;
  std::uint64_t searches_ = 0, rows_compared_ = 0;
};

}  // namespace tsuji::lookup
