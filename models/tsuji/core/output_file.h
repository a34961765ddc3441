// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace tsuji {

/// Closes a file that has been written. OutputError with the system's reason, a full disk say, where
/// something could not be written.
void close_output(std::ofstream& file, const std::string& path);
/// "cannot be written: No space left on device", of a write that has failed with `error`; 0: not known.
std::string write_problem(int error);

/// A file that the user names, written as a whole or not at all: the text goes to PATH.part, which takes the
/// place of PATH on commit(). A run that fails leaves PATH as it was; one that is killed leaves PATH.part,
/// too, which the next one writes anew. A pipe or device is written as it is.
class OutputFile {
 public:
  /// `option`: it names the file, for messages. ConfigError where the file cannot be made, or another process
  /// writes it.
  OutputFile(const std::string& path, const std::string& option);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// OutputError where something could not be written.
  void commit();

 private:
  void take_part();
  bool lock_part();
  [[noreturn]] void refuse(const std::string& problem) const;
  [[noreturn]] void fail(int error) const;

  const std::string path_, option_;
  std::string target_;  ///< of a link; empty: not a regular file, written as it is
  std::string part_;
  int lock_ = -1;  ///< part_, held
  std::ofstream stream_;
};

}  // namespace tsuji
