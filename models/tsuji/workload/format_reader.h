// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tsuji/core/line_reader.h"
#include "tsuji/workload/rank_graph.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::workload {

/// Base of readers of other tools' traces: lines as words, refusals with line and column, and the limits of a
/// trace. Every size in the file is one of a Trace: bytes, nanoseconds of computing.
class FormatReader {
 public:
  /// Largest number of ranks, tag and bytes of a message that a Trace holds.
  static constexpr std::uint64_t most_ranks = std::numeric_limits<std::uint16_t>::max(),
                                 most_tag = std::numeric_limits<std::int32_t>::max(),
                                 most_bytes = 0xFFFF'FFFF;

 protected:
  explicit FormatReader(const TraceFile& file);

  static const char* key() { return "workload.trace"; }
  /// Continues with another file, one for each rank.
  void open(const std::string& path);
  /// Reads the next line and splits it at blanks; false at the end of the file.
  bool next_line();
  std::uint64_t line_number() const { return lines_->line_number(); }
  /// "file:line" of a line of the file at hand.
  std::string place_of(std::uint64_t line) const { return path_ + ":" + std::to_string(line); }
  void expect_words(std::size_t count, const char* form) const;
  std::uint64_t number(std::string_view text, std::uint64_t least, std::uint64_t most,
                       const char* what) const;
  /// Nanoseconds of a computation, which add up to at most TraceLimits::rank_flops for a rank.
  std::uint64_t computed(std::string_view text);
  std::uint64_t computed(std::uint64_t ns, std::string_view text);
  /// Reads decimal digits; false for anything else, and for a value above `most`.
  static bool is_number(std::string_view text, std::uint64_t most, std::uint64_t& value);
  /// Appends the graph as the next rank.
  void take(RankGraph& graph);
  /// Counts an operation, and ends a rank, for a reader that appends them itself. Refuses too long a trace.
  void count_operation(std::uint64_t operations = 1);
  void end_rank() { rank_flops_ = 0; }
  /// Refuses a piece of the line at hand.
  [[noreturn]] void refuse(std::string_view value, const std::string& problem,
                           const std::string& accepted) const;
  /// Refuses something that is on another line of the file at hand.
  [[noreturn]] void refuse_on(std::uint64_t line, const std::string& value, const std::string& problem,
                              const std::string& accepted) const;
  [[noreturn]] void refuse_end(const std::string& problem, const std::string& accepted) const;
  Trace finish();

  Trace trace_;
  std::string_view text_;                ///< the line at hand
  std::vector<std::string_view> words_;  ///< of it

 private:
  const TraceLimits limits_;
  std::string path_;
  std::unique_ptr<LineReader> lines_;
  std::uint64_t rank_flops_ = 0, operations_ = 0;
};

/// Paths of the files of a trace that has one for each rank. `first` is rank 0's: the last group of digits in
/// its name is zeros, and counts up to the last file that exists. Throws ConfigError for a name without such
/// zeros.
std::vector<std::string> rank_files(const std::string& first);

}  // namespace tsuji::workload
