// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tsuji/core/input_file.h"

namespace tsuji {

/// Writes the words of a line, which spaces, tabs and carriage returns divide, to `words`.
void split_words(std::string_view line, std::vector<std::string_view>& words);

/// Reads the lines of a text file or pipe, uncompressed or zstd. Memory is bounded by `longest_line_bytes`
/// and the decompressor's window, however large the file unpacks.
class LineReader {
 public:
  /// The longest meaningful line is an alltoallv of 65,535 ranks: below 1.5 million bytes.
  static constexpr std::size_t longest_line_bytes = std::size_t{1} << 22;
  /// Whether the last line may lack its newline. Files written by people may, since many editors omit it. The
  /// project's own recordings end every line, so a missing newline there means a truncated recording.
  enum class LastLine : std::uint8_t { may_be_open, ends };

  /// `key` is the configuration key that names the file. ConfigError if the file cannot be read.
  LineReader(const std::string& path, const std::string& key, LastLine last_line = LastLine::may_be_open,
             const std::string& accepted = "a readable file");
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Reads the next line, without its newline, into `line`, which is valid until the next call. Returns false
  /// at the end of the file. ConfigError for a failed read, damaged or incomplete compressed data, a line
  /// longer than longest_line_bytes, or a missing last newline with LastLine::ends.
  bool next(std::string_view& line);
  /// Number of the line that next() read last, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// "file:line" of the line that next() read last.
  std::string place() const;

 private:
  struct Zstd;

  bool refill();  ///< reads more text to end_; false at the end of the file
  std::size_t read_raw(char* to, std::size_t bytes);
  std::size_t decompress(char* to, std::size_t bytes);
  std::string next_place() const;
  [[noreturn]] void refuse(const std::string& problem, const std::string& accepted) const;

  const std::string path_, key_;
  const LastLine last_line_;
  InputFile file_;
  std::unique_ptr<Zstd> zstd_;
  std::vector<char> text_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0;
};

}  // namespace tsuji
