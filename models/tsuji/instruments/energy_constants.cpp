// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/energy_constants.h"

#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/config/quantity.h"
#include "tsuji/core/error.h"

namespace tsuji::instruments {
namespace {

/// A constant and its unit, whose first letter may be another prefix.
struct Constant {
  const char* name;
  double EnergyConstants::*field;
  const char* unit;
  const char* meaning;
};

constexpr Constant constants[] = {
    {"buffer_write", &EnergyConstants::buffer_write, "pJ/bit", "write of a flit into a buffer"},
    {"buffer_write_depth", &EnergyConstants::buffer_write_depth, "pJ/bit/flit",
     "its part that grows with depth"},
    {"buffer_read", &EnergyConstants::buffer_read, "pJ/bit", "read of a flit from a buffer"},
    {"buffer_read_depth", &EnergyConstants::buffer_read_depth, "pJ/bit/flit",
     "its part that grows with depth"},
    {"buffer_static", &EnergyConstants::buffer_static, "uW/bit", "static power of a bit of a buffer"},
    {"crossbar", &EnergyConstants::crossbar, "pJ/bit", "a flit through the crossbar"},
    {"crossbar_static", &EnergyConstants::crossbar_static, "uW/bit",
     "static power of a bit of a crossbar's port"},
    {"routing", &EnergyConstants::routing, "pJ", "route computation of a head"},
    {"selection", &EnergyConstants::selection, "pJ", "choice of an output for a head"},
    {"control_static", &EnergyConstants::control_static, "uW", "static power of a router's control"},
    {"link", &EnergyConstants::link, "pJ/bit/mm", "a bit on a wire"},
    {"link_static", &EnergyConstants::link_static, "uW/bit", "static power of a wire's driver"},
    {"network_interface", &EnergyConstants::network_interface, "pJ/bit", "a bit into or out of the network"},
    {"prediction", &EnergyConstants::prediction, "pJ", "a predictor's guess and training, by head"},
    {"buffer_area", &EnergyConstants::buffer_area, "um2/bit", "area of a bit of a buffer"},
    {"crossbar_area", &EnergyConstants::crossbar_area, "um2/bit", "area of a bit of a crosspoint"},
    {"control_area", &EnergyConstants::control_area, "um2", "area of a router's control"}};

bool is_area(const Constant& constant) {
  return std::string(constant.unit).rfind("um2", 0) == 0;
}

/// No source publishes a predictor's energy: a file of the user may.
bool is_optional(const Constant& constant) {
  return constant.field == &EnergyConstants::prediction;
}

/// Power of ten of a unit's prefix; empty for none of them.
std::optional<int> power_of(char prefix) {
  switch (prefix) {
    case 'f':
      return -15;
    case 'p':
      return -12;
    case 'n':
      return -9;
    case 'u':
      return -6;
    case 'm':
      return -3;
    default:
      return std::nullopt;
  }
}

void require_zero_or_more(double value, const std::string& unit, const Constant& constant,
                          const std::string& text) {
  if (value < 0 || !std::isfinite(value))
    throw ConfigError(constant.name, text, "is negative or not finite", "0 " + unit + " or more");
}

/// A quantity's unit has no digits: the number is read here.
double area_of(const Constant& constant, const std::string& text) {
  const std::string unit = constant.unit;
  std::istringstream words(text);
  double number = 0;
  std::string own;
  if (!(words >> number >> own) || own != unit)
    throw ConfigError(constant.name, text, own.empty() ? "has no number with its unit" : "has another unit",
                      "a number with " + unit + ", as \"5 " + unit + "\"");
  require_zero_or_more(number, unit, constant, text);
  return number;
}

double value_of(const Constant& constant, const std::string& text) {
  if (is_area(constant)) return area_of(constant, text);
  const std::string unit = constant.unit;
  const std::optional<config::Quantity> quantity = config::read_quantity(text);
  if (!quantity || quantity->unit.size() != unit.size() || quantity->unit.substr(1) != unit.substr(1) ||
      !power_of(quantity->unit[0]))
    throw ConfigError(constant.name, text, quantity ? "has another unit" : "has no number with its unit",
                      "a number with " + unit + ", as \"0.05 " + unit + "\"; other prefixes than " + unit[0] +
                          ": f, p, n, u, m");
  require_zero_or_more(quantity->number, unit, constant, text);
  return quantity->number * std::pow(10.0, *power_of(quantity->unit[0]) - *power_of(unit[0]));
}

}  // namespace

EnergyConstants EnergyConstants::read(const std::string& path) {
  EnergyConstants read;
  std::array<std::string, std::size(constants)> texts;
  config::KeyTable keys;
  keys.add("source", read.source, "publication of the constants");
  keys.add("technology", read.technology, "process and clock");
  for (std::size_t i = 0; i < texts.size(); ++i) keys.add(constants[i].name, texts[i], constants[i].meaning);
  config::read_yaml_file(keys, path);
  keys.settle_defaults();
  keys.check([&] {
    if (read.source.empty() || read.technology.empty())
      throw ConfigError(read.source.empty() ? "source" : "technology", "", "is missing in " + path, "a text");
    for (std::size_t i = 0; i < texts.size(); ++i)
      read.has_area = read.has_area || (is_area(constants[i]) && !texts[i].empty());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (is_area(constants[i]) && !read.has_area) continue;
      if (is_optional(constants[i])) {
        read.has_prediction = !texts[i].empty();
        if (!read.has_prediction) continue;
      }
      if (texts[i].empty())
        throw ConfigError(constants[i].name, "", "is missing in " + path,
                          std::string("a number with ") + constants[i].unit);
      read.*constants[i].field = value_of(constants[i], texts[i]);
    }
  });
  return read;
}

}  // namespace tsuji::instruments
