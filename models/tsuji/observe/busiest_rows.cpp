// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/busiest_rows.h"

#include "tsuji/core/output_file.h"

namespace tsuji::observe {

RowFile::RowFile(const std::string& path, const std::string& columns)
    : path_(path), file_(path, std::ios::binary) {
  file_ << columns << '\n';
}

void RowFile::add(const std::vector<Value>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != 0) file_ << ',';
    if (!row[i].is_null()) file_ << row[i].text();
  }
  file_ << '\n';
}

void RowFile::close() {
  close_output(file_, path_);
}

}  // namespace tsuji::observe
