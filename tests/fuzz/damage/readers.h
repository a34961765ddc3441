// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tsuji::fuzz {

/// One kind of input: its reader, valid examples, and its words with a meaning.
struct InputReader {
  std::string name;
  /// Reads the content, which is also the content of file `path`. Returns a text that represents the value,
  /// equal for equal values. Throws ConfigError for what is refused.
  std::function<std::string(const std::string& content, const std::string& path)> read;
  std::vector<std::string> seeds;
  std::vector<std::string> words;
  /// The text that read() returns is a file of the same kind with the same value.
  bool writes_itself = false;
  bool compressed = false;  ///< damaged before or after its compression
  bool has_place = true;    ///< refusals name the file or the option
};

std::vector<InputReader> input_readers();

/// One zstd frame.
std::string compressed(const std::string& text);

}  // namespace tsuji::fuzz
