// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

namespace tsuji::test {

/// A temporary file with this text, removed with the object.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tsuji_text_XXXXXX").string();
    const int file = mkstemp(pattern.data());
    REQUIRE(file >= 0);
    std::fclose(fdopen(file, "w"));
    path_ = pattern;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The text of the ConfigError that `work` throws; empty if it throws none.
template <class Work>
std::string refusal(Work work) {
  return text_of<ConfigError>(work);
}

/// The refusal by `read`, which takes a path, of a file with this text; "FILE" replaces that path.
template <class Read>
std::string refusal_of_file(const std::string& text, Read read) {
  const TextFile file(text);
  std::string problem = refusal([&] { read(file.path()); });
  for (std::size_t at = problem.find(file.path()); at != std::string::npos; at = problem.find(file.path()))
    problem.replace(at, file.path().size(), "FILE");
  return problem;
}

}  // namespace tsuji::test
