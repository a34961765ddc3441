// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/format_reader.h"

#include <filesystem>
#include <functional>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::workload {

FormatReader::FormatReader(const TraceFile& file)
    : limits_(file.limits), path_(file.path), lines_(std::make_unique<LineReader>(file.path, key())) {
  trace_.path = file.path;
}

void FormatReader::open(const std::string& path) {
  path_ = path;
  lines_ = std::make_unique<LineReader>(path, key());
}

bool FormatReader::next_line() {
  if (!lines_->next(text_)) return false;
  split_words(text_, words_);
  return true;
}

void FormatReader::expect_words(std::size_t count, const char* form) const {
  if (words_.size() != count) refuse(words_[0], "wrong number of words", form);
}

std::uint64_t FormatReader::number(std::string_view text, std::uint64_t least, std::uint64_t most,
                                   const char* what) const {
  std::uint64_t value = 0;
  if (!is_number(text, most, value) || value < least)
    refuse(text, std::string("not ") + what, std::to_string(least) + ".." + std::to_string(most));
  return value;
}

bool FormatReader::is_number(std::string_view text, std::uint64_t most, std::uint64_t& value) {
  value = 0;
  for (const char digit : text) {
    const auto add = static_cast<std::uint64_t>(digit - '0');
    if (add > 9 || add > most || value > (most - add) / 10) return false;
    value = value * 10 + add;
  }
  return !text.empty();
}

std::uint64_t FormatReader::computed(std::string_view text) {
  return computed(number(text, 0, std::numeric_limits<std::uint64_t>::max() / 2, "a time in nanoseconds"),
                  text);
}

std::uint64_t FormatReader::computed(std::uint64_t ns, std::string_view text) {
  if (ns > limits_.rank_flops - rank_flops_)
    refuse(text, "the rank computes for too long",
           "at most " + std::to_string(limits_.rank_flops) + " ns a rank" +
               (limits_.because.empty() ? "" : " (" + limits_.because + ")"));
  rank_flops_ += ns;
  return ns;
}

void FormatReader::take(RankGraph& graph) {
  graph.take(trace_);
  end_rank();
  count_operation(trace_.ranks.back().size());
}

void FormatReader::count_operation(std::uint64_t operations) {
  operations_ += operations;
  if (operations_ > most_operations)
    refuse_on(line_number(), "", "the trace is too long",
              "at most " + std::to_string(most_operations) + " operations");
}

void FormatReader::refuse_on(std::uint64_t line, const std::string& value, const std::string& problem,
                             const std::string& accepted) const {
  throw ConfigError(key(), value, problem, accepted).at(place_of(line));
}

void FormatReader::refuse(std::string_view value, const std::string& problem,
                          const std::string& accepted) const {
  const std::less<> before;
  const bool inside =
      !before(value.data(), text_.data()) && before(value.data(), text_.data() + text_.size());
  const auto column = inside ? value.data() - text_.data() + 1 : 1;
  throw ConfigError(key(), std::string(value), problem, accepted)
      .at(place_of(line_number()) + ":" + std::to_string(column));
}

void FormatReader::refuse_end(const std::string& problem, const std::string& accepted) const {
  refuse_on(line_number() + 1, "", problem, accepted);
}

Trace FormatReader::finish() {
  return std::move(trace_);
}

std::vector<std::string> rank_files(const std::string& first) {
  const std::size_t folder = first.find_last_of('/') == std::string::npos ? 0 : first.find_last_of('/') + 1;
  const std::size_t last = first.find_last_of("0123456789");
  std::size_t begin = last == std::string::npos ? folder : last;
  while (last != std::string::npos && begin > folder && first[begin - 1] >= '0' && first[begin - 1] <= '9')
    --begin;
  const std::size_t digits = last == std::string::npos ? 0 : last - begin + 1;
  if (last == std::string::npos || last < folder || first.substr(begin, digits) != std::string(digits, '0'))
    throw ConfigError(
        "workload.trace", first, "not the file of rank 0",
        "a name whose last number is 0, as in trace-0000.txt; each further rank has the next number");
  std::vector<std::string> files = {first};
  while (files.size() < FormatReader::most_ranks) {
    std::string number = std::to_string(files.size());
    if (number.size() < digits) number.insert(0, digits - number.size(), '0');
    std::string file = first.substr(0, begin) + number + first.substr(last + 1);
    std::error_code error;
    if (!std::filesystem::exists(file, error)) break;
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace tsuji::workload
