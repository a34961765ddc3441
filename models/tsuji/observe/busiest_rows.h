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

/// The first `rows` of all rows that are added, in the order of `is_before`; a heap whose front is the last
/// of them.
template <class Row>
class BusiestRows {
 public:
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

  std::vector<Row> sorted() {
    std::sort_heap(rows_.begin(), rows_.end(), is_before_);
    return std::move(rows_);
  }

 private:
  const std::size_t most_;
  const IsBefore is_before_;
  std::vector<Row> rows_;
};

/// A CSV file of rows as they come.
class RowFile {
 public:
  /// `columns`: names with commas between them.
  RowFile(const std::string& path, const std::string& columns);
  void add(const std::vector<Value>& row);
  /// OutputError if the file could not be written.
  void close();

 private:
  const std::string path_;
  std::ofstream file_;
};

}  // namespace tsuji::observe
