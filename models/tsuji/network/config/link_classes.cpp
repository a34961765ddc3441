// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/link_classes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "tsuji/config/key_types.h"
#include "tsuji/config/quantity.h"
#include "tsuji/config/word_list.h"
#include "tsuji/core/error.h"
#include "tsuji/network/config/vc_network_config.h"

namespace tsuji::network {
namespace {

constexpr const char* form =
    "CLASS [latency CYCLES] [flit_cycles CYCLES] [length MM], with commas between classes";
constexpr Cycle most_flit_cycles = 65'535;
constexpr double most_mm = 1e6;

[[noreturn]] void refuse_class(const std::string& value, const std::string& problem,
                               const std::string& accepted) {
  throw ConfigError("link.classes", value, problem, accepted);
}

/// A number without a unit; empty for any other text.
std::optional<double> plain_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// The values of one class.
class ClassReader {
 public:
  ClassReader(const std::string& item, ClockPeriod period)
      : item_(item), words_(config::words_of(item)), cycle_ps_(static_cast<double>(period.ps())) {}

  graph::LinkClass read() {
    if (words_.size() < 3) refuse_class(item_, "not a class of links with its values", form);
    graph::LinkClass values{words_.front()};
    for (next_ = 1; next_ < words_.size();) {
      const std::string& name = words_[next_++];
      const std::string value = take_value();
      if (name == "latency" && values.latency_cycles == 0)
        values.latency_cycles = whole_cycles(name, value, VcNetworkConfig::most_link_cycles);
      else if (name == "flit_cycles" && values.flit_cycles == 0)
        values.flit_cycles = whole_cycles(name, value, most_flit_cycles);
      else if (name == "length" && !values.length_mm)
        values.length_mm = length_mm(value);
      else
        refuse_class(name, is_name(name) ? "given twice for a class" : "not a value of a class", form);
    }
    return values;
  }

 private:
  static bool is_name(const std::string& word) {
    return word == "latency" || word == "flit_cycles" || word == "length";
  }

  /// A number, and its unit if that is a separate word.
  std::string take_value() {
    std::string value = next_ < words_.size() ? words_[next_++] : "";
    if (next_ < words_.size() && !is_name(words_[next_])) value += " " + words_[next_++];
    return value;
  }

  Cycle whole_cycles(const std::string& name, const std::string& value, Cycle most) const {
    const std::string accepted = "1.." + std::to_string(most) + " cycles, or a time in ns";
    const std::optional<config::Quantity> quantity = config::read_quantity(value);
    const std::optional<double> exact =
        quantity ? config::in_unit(*quantity, "cycles", cycle_ps_) : plain_number(value);
    if (!exact) refuse_class(name + " " + value, "not a number of cycles", accepted);
    const double cycles = std::round(*exact);
    constexpr double most_difference = 0.05;
    if (quantity ? std::abs(cycles - *exact) > most_difference * std::abs(*exact) : cycles != *exact)
      refuse_class(name + " " + value, config::double_text(*exact) + " cycles, not a whole number", accepted);
    if (cycles < 1 || cycles > static_cast<double>(most))
      refuse_class(name + " " + value, "out of range", accepted);
    return static_cast<Cycle>(cycles);
  }

  static double length_mm(const std::string& value) {
    const std::optional<config::Quantity> quantity = config::read_quantity(value);
    const std::optional<double> mm = quantity ? config::in_unit(*quantity, "mm", 0) : plain_number(value);
    if (!mm || *mm < 0 || *mm > most_mm) refuse_class("length " + value, "not a length", "0..1000000 mm");
    return *mm;
  }

  const std::string& item_;
  const std::vector<std::string> words_;
  const double cycle_ps_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<graph::LinkClass> parse_link_classes(const std::string& text, ClockPeriod period) {
  std::vector<graph::LinkClass> classes;
  for (const std::string& item : config::items_of(text)) {
    graph::LinkClass one = ClassReader(item, period).read();
    for (const graph::LinkClass& other : classes)
      if (other.name == one.name) refuse_class(one.name, "the class is given twice", "each class once");
    classes.push_back(std::move(one));
  }
  return classes;
}

}  // namespace tsuji::network
