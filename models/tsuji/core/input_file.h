// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tsuji {

/// An input file or pipe that the user names, read as bytes. All input files are opened and read here, so
/// that a failed open or read is always a ConfigError and never looks like the end of the file.
class InputFile {
 public:
  /// `key` (configuration key or option that names the file) and `accepted` (kind of file) are for messages.
  InputFile(const std::string& path, const std::string& key, const std::string& accepted = "a readable file");
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads up to `bytes` bytes; returns fewer only at the end of the file. ConfigError if reading fails.
  std::size_t read(char* to, std::size_t bytes);

 private:
  [[noreturn]] void refuse(int error) const;
  const std::string path_, key_, accepted_;
  int descriptor_ = -1;
};

/// Returns a whole file of at most `most_bytes` bytes; ConfigError for a larger one.
std::string read_input_file(const std::string& path, const std::string& key, const std::string& accepted,
                            std::size_t most_bytes);

}  // namespace tsuji
