// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/busiest_rows.h"

#include "tsuji/core/output_file.h"

namespace tsuji::observe {

RowFile::RowFile(const std::string& path, const std::string& columns)
    : path_(path), file_(path, std::ios::binary) {
  file_ << columns << '\n';
}

void RowFile::add(const std::vector<Value>& row) {
  line_.clear();
  for (const Value& cell : row) {
    if (!cell.is_null()) cell.append_to(line_);
    line_ += ',';
  }
  if (row.empty()) line_ += ',';
  line_.back() = '\n';
  file_ << line_;
}

void RowFile::close() {
  close_output(file_, path_);
}

}  // namespace tsuji::observe
