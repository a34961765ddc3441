// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tsuji/core/input_file.h"

namespace tsuji {

/// The lines of a text file or pipe, uncompressed or zstd, in bounded memory: no line is longer than
/// `longest_line_bytes`, however much a compressed file unpacks to (plus the compressor's window).
class LineReader {
 public:
  /// The longest line with a meaning is an alltoallv of 65,535 ranks: below 1.5 million bytes.
  static constexpr std::size_t longest_line_bytes = std::size_t{1} << 22;
  /// The last line of a file that people write may lack its end, as many editors leave it out. A recording of
  /// our own ends every line, so that the missing end of its last line tells a recording that was cut.
  enum class LastLine : std::uint8_t { may_be_open, ends };

  /// `key` is the configuration key that names the file: ConfigError of it if the file cannot be read.
  LineReader(const std::string& path, const std::string& key, LastLine last_line = LastLine::may_be_open,
             const std::string& accepted = "a readable file");
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end; valid until the next call. False at the end of the file. Throws
  /// ConfigError for a file that cannot be read on, compressed data that are damaged or incomplete, a line
  /// that is too long, or a last line without its end where it must have one.
  bool next(std::string_view& line);
  /// The number of the line that `next` gave last, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// "file:line" of that line.
  std::string place() const;

 private:
  struct Zstd;

  bool refill();  ///< more text behind end_; false when there is no more
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
