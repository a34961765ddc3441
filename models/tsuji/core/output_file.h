// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace tsuji {

/// Closes an output file. OutputError, with the system's reason (such as a full disk), if a write failed.
void close_output(std::ofstream& file, const std::string& path);
/// Text of a failed write with errno `error`: "cannot be written: No space left on device". 0: reason
/// unknown.
std::string write_problem(int error);

/// Output file that is written completely or not at all: text goes to PATH.part, which commit() renames to
/// PATH. A run that fails leaves an existing PATH unchanged. A run that is killed leaves PATH.part as well,
/// and the next run overwrites it. Pipes and devices are written directly.
class OutputFile {
 public:
  /// `option` names the file in messages. ConfigError if the file cannot be created or another process writes
  /// it.
  OutputFile(const std::string& path, const std::string& option);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Renames PATH.part to PATH. OutputError if a write failed.
  void commit();

 private:
  void take_part();
  bool lock_part();
  [[noreturn]] void refuse(const std::string& problem) const;
  [[noreturn]] void fail(int error) const;

  const std::string path_, option_;
  std::string target_;  ///< PATH with symbolic links resolved; empty: not a regular file, written directly
  std::string part_;
  int lock_ = -1;  ///< descriptor of part_, locked
  std::ofstream stream_;
};

}  // namespace tsuji
