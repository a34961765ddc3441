// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tsuji {

/// A file or pipe that the user names, as bytes. All input files are opened and read here: one that cannot be
/// opened, or whose reading fails midway, is a ConfigError and never a file that ends early.
class InputFile {
 public:
  /// `key`: the configuration key (or option) that names the file; `accepted`: the kind of file; for
  /// messages.
  InputFile(const std::string& path, const std::string& key, const std::string& accepted = "a readable file");
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Up to `bytes` bytes; fewer only at the end of the file. ConfigError where reading fails.
  std::size_t read(char* to, std::size_t bytes);

 private:
  [[noreturn]] void refuse(int error) const;
  const std::string path_, key_, accepted_;
  int descriptor_ = -1;
};

/// A whole file of at most `most_bytes`; ConfigError for a larger one.
std::string read_input_file(const std::string& path, const std::string& key, const std::string& accepted,
                            std::size_t most_bytes);

}  // namespace tsuji
