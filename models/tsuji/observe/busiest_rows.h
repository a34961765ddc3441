// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/results/value.h"

namespace tsuji::observe {

/// Selection of the first `rows` rows, in the order of `is_before`, of all rows that are added. Memory is
/// proportional to `rows`.
///
/// Contract: add() for each row, then sorted() once.
template <class Row>
class BusiestRows {
 public:
  /// Order of rows: true if the first argument precedes the second.
  using IsBefore = bool (*)(const Row&, const Row&);
  BusiestRows(std::size_t rows, IsBefore is_before) : most_(rows), is_before_(is_before) {}

  void add(const Row& row) {
    if (rows_.size() == most_) {
      if (most_ == 0 || !is_before_(row, rows_.front())) return;
      std::pop_heap(rows_.begin(), rows_.end(), is_before_);
      rows_.pop_back();
    }
    rows_.push_back(row);
    std::push_heap(rows_.begin(), rows_.end(), is_before_);
  }

  /// Returns the selected rows in order.
  std::vector<Row> sorted() {
    std::sort_heap(rows_.begin(), rows_.end(), is_before_);
    return std::move(rows_);
  }

 private:
  const std::size_t most_;
  const IsBefore is_before_;
  std::vector<Row> rows_;
};

/// CSV file of rows, in the order in which they are added.
class RowFile {
 public:
  /// Opens the file. `columns` are the names of the columns, separated by commas.
  RowFile(const std::string& path, const std::string& columns);
  /// Writes a row.
  void add(const std::vector<Value>& row);
  /// Closes the file. Throws OutputError if it could not be written.
  void close();

 private:
  const std::string path_;
  std::ofstream file_;
  std::string line_;  ///< of the row that is added
};

}  // namespace tsuji::observe
