// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "tsuji/config/key_types.h"

namespace tsuji::config {
namespace {

enum class Measure { time, frequency, bytes, rate, energy, power };

struct Unit {
  const char* name;
  Measure measure;
  double factor;  ///< in ps, GHz, bytes, Gb/s, pJ, uW
};

constexpr double kibi = 1024;
constexpr const char* load = "flits/node/cycle";

// "bytes" is the unit that keys have; the others are those of data sheets.
constexpr std::array units = {
    Unit{"ps", Measure::time, 1},
    Unit{"ns", Measure::time, 1e3},
    Unit{"us", Measure::time, 1e6},
    Unit{"ms", Measure::time, 1e9},
    Unit{"s", Measure::time, 1e12},
    Unit{"MHz", Measure::frequency, 1e-3},
    Unit{"GHz", Measure::frequency, 1},
    Unit{"bytes", Measure::bytes, 1},
    Unit{"B", Measure::bytes, 1},
    Unit{"kB", Measure::bytes, 1e3},
    Unit{"MB", Measure::bytes, 1e6},
    Unit{"GB", Measure::bytes, 1e9},
    Unit{"KiB", Measure::bytes, kibi},
    Unit{"MiB", Measure::bytes, kibi* kibi},
    Unit{"GiB", Measure::bytes, kibi* kibi* kibi},
    Unit{"TiB", Measure::bytes, kibi* kibi* kibi* kibi},
    Unit{"Mb/s", Measure::rate, 1e-3},
    Unit{"Gb/s", Measure::rate, 1},
    Unit{"Tb/s", Measure::rate, 1e3},
    Unit{"MB/s", Measure::rate, 8e-3},
    Unit{"GB/s", Measure::rate, 8},
    Unit{"pJ", Measure::energy, 1},
    Unit{"nJ", Measure::energy, 1e3},
    Unit{"uW", Measure::power, 1},
    Unit{"mW", Measure::power, 1e3},
    Unit{"W", Measure::power, 1e6},
};

const Unit* find_unit(const std::string& name) {
  const auto* const found =
      std::find_if(units.begin(), units.end(), [&](const Unit& one) { return name == one.name; });
  return found == units.end() ? nullptr : found;
}

}  // namespace

std::string Quantity::text() const {
  return double_text(number) + " " + unit;
}

std::optional<Quantity> read_quantity(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop == text.data() || !std::isfinite(number)) return std::nullopt;
  std::string unit(stop, end);
  if (!unit.empty() && unit.front() == ' ') unit.erase(0, 1);
  const auto is_letter = [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || one == '/';
  };
  if (unit.empty() || !std::all_of(unit.begin(), unit.end(), is_letter)) return std::nullopt;
  return Quantity{number, unit};
}

std::optional<double> in_unit(const Quantity& quantity, const std::string& unit, double cycle_ps,
                              double flit_bits) {
  if (quantity.unit == unit) return quantity.number;
  const Unit* const from = find_unit(quantity.unit);
  if (from == nullptr) return std::nullopt;
  if (unit == "cycles") {
    if (from->measure != Measure::time || cycle_ps == 0) return std::nullopt;
    return quantity.number * from->factor / cycle_ps;
  }
  if (unit == load) {
    if (from->measure != Measure::rate || cycle_ps == 0 || flit_bits == 0) return std::nullopt;
    return quantity.number * from->factor * 1e-3 * cycle_ps / flit_bits;  // Gb/s are bits in 1000 ps
  }
  const Unit* const to = find_unit(unit);
  if (to == nullptr) return std::nullopt;
  if (from->measure == Measure::frequency && unit == "ps") return 1e3 / (quantity.number * from->factor);
  if (from->measure != to->measure) return std::nullopt;
  return quantity.number * from->factor / to->factor;
}

std::string units_beside(const std::string& unit) {
  const Unit* const own = find_unit(unit == "cycles" ? "ns" : unit == load ? "Gb/s" : unit);
  std::string text;
  for (const Unit& one : units) {
    const bool by_period = one.measure == Measure::frequency && unit == "ps";
    if (own == nullptr || one.name == unit || (one.measure != own->measure && !by_period)) continue;
    text += (text.empty() ? "" : ", ") + std::string(one.name);
  }
  return text;
}

}  // namespace tsuji::config
