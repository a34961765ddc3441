// SPDX-License-Identifier: Apache-2.0
#include "common/played_pins.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "tsuji/core/error.h"
#include "tsuji/core/line_reader.h"

namespace tsuji::bench {
namespace {

constexpr const char* written_by_record = "a file that --record has written";
constexpr std::string_view digits = "0123456789abcdef";

/// `value`: a piece of the line.
[[noreturn]] void refuse(const LineReader& lines, std::string_view line, std::string_view value,
                         const std::string& problem, const std::string& accepted = written_by_record) {
  throw ConfigError("--play", std::string(value), problem, accepted)
      .at(lines.place() + ":" + std::to_string(value.data() - line.data() + 1));
}

/// Removes the next word, and the blank after it, from a line, and returns the word.
std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

bool is_number(std::string_view word) {
  return word.find_first_not_of(digits) == std::string_view::npos;
}

std::string names_of_inputs(const std::vector<Pin>& pins) {
  std::string names;
  for (const Pin& pin : pins)
    if (pin.input) names += (names.empty() ? "" : ", ") + pin.name;
  return names;
}

}  // namespace

/// The lines before "cycles": bits of inputs and outputs, and the first bit of each input.
class PlayedPins::Head {
 public:
  explicit Head(const std::vector<Pin>& pins) : pins_(pins) {}

  void read(LineReader& lines) {
    std::string_view line;
    while (lines.next(line) && line != "cycles") read_pin(lines, line);
    for (const Pin& pin : pins_)
      if (pin.input && lows_.count(pin.name) == 0)
        refuse(lines, {}, {}, "the record ends without the input " + pin.name,
               "records of " + names_of_inputs(pins_));
  }
  std::size_t low(const Pin& pin) const { return lows_.at(pin.name); }
  std::size_t digits(bool input) const { return (bits_[input ? 1 : 0] + 3) / 4; }

 private:
  void read_pin(const LineReader& lines, std::string_view line) {
    std::string_view rest = line;
    const std::string_view direction = take_word(rest), name = take_word(rest);
    const bool input = direction == "input";
    unsigned bits = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), bits);
    if ((!input && direction != "output") || read.ec != std::errc() || read.ptr != rest.data() + rest.size())
      refuse(lines, line, line, "not a pin", "input NAME BITS, output NAME BITS, or cycles");
    if (input) {
      const auto pin = std::find_if(pins_.begin(), pins_.end(),
                                    [&](const Pin& one) { return one.input && one.name == name; });
      if (pin == pins_.end())
        refuse(lines, line, name, "the device has no such input", names_of_inputs(pins_));
      if (bits != pin->width_bits * pin->lanes)
        refuse(lines, line, rest, "the input has another width",
               std::to_string(pin->width_bits * pin->lanes));
      if (!lows_.emplace(name, bits_[1]).second)
        refuse(lines, line, name, "the same input as in a line above");
    }
    bits_[input ? 1 : 0] += bits;
  }

  const std::vector<Pin>& pins_;
  std::map<std::string, std::size_t, std::less<>> lows_;  ///< [input]
  std::size_t bits_[2] = {0, 0};                          ///< of all outputs, of all inputs
};

PlayedPins::PlayedPins(const std::string& path, const std::vector<Pin>& pins) {
  LineReader lines(path, "--play", LineReader::LastLine::ends, written_by_record);
  Head head(pins);
  head.read(lines);
  for (const Pin& pin : pins)
    for (unsigned lane = 0; pin.input && lane < pin.lanes; ++lane)
      pieces_.push_back({head.low(pin) + std::size_t{lane} * pin.width_bits, pin.at + lane, pin.width_bits});
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    const std::string_view inputs = take_word(rest);
    if (inputs.size() != head.digits(true) || rest.size() != head.digits(false) || !is_number(inputs) ||
        !is_number(rest))
      refuse(lines, line, line, "not a cycle of these pins",
             std::to_string(head.digits(true)) + " and " + std::to_string(head.digits(false)) +
                 " digits of base 16");
    rows_.emplace_back(inputs);
  }
  if (rows_.empty()) throw ConfigError("--play", path, "there is no cycle", written_by_record);
}

void PlayedPins::drive(Cycle cycle, Drive& pins) {
  const std::string& row = rows_[cycle];
  for (const Piece& piece : pieces_) {
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < piece.width_bits; ++bit) {
      const std::size_t at = piece.low + bit;
      const std::uint64_t digit = digits.find(row[row.size() - 1 - at / 4]);
      value |= (digit >> at % 4 & 1) << bit;
    }
    pins.set(piece.lane, value);
  }
}

}  // namespace tsuji::bench
