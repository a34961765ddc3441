#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tsuji::workload {

/// The lines of a text file or pipe, plain or zstd-compressed, in bounded memory (plus the compressor's
/// window).
class LineReader {
 public:
  /// `key` is the configuration key that names the file: ConfigError of it if the file cannot be opened.
  LineReader(const std::string& path, const char* key);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end; valid until the next call. False at the end of the file. Throws
  /// ConfigError for compressed data that are damaged or incomplete, or for a last line without its end.
  bool next(std::string_view& line);
  /// The number of the line that `next` gave last, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// "file:line" of that line.
  std::string place() const;

 private:
  struct Zstd;
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool refill();  ///< more text behind end_; false when there is no more
  std::size_t read_raw(char* to, std::size_t bytes);
  std::size_t decompress(char* to, std::size_t bytes);
  [[noreturn]] void refuse(const std::string& problem, const std::string& accepted) const;

  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::unique_ptr<Zstd> zstd_;
  std::vector<char> text_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0;
};

}  // namespace tsuji::workload
