// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/compact_search.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::lookup {
namespace {

std::uint64_t apart(std::uint32_t a, std::uint32_t b) {
  return a < b ? b - a : a - b;
}

void check_bits(const char* width, unsigned bits) {
  if (bits < 1 || bits > 16) throw ConfigError("", std::to_string(bits), width, "1..16");
}

void check_width(std::uint32_t number, unsigned bits) {
  if (number >> bits != 0)
    throw ModelError("compact table",
                     std::to_string(number) + " is wider than " + std::to_string(bits) + " bits");
}

}  // namespace

void CompactSearchConfig::validate() const {
  if (entries < 1) throw ConfigError("routing.entries", "0", "a table without a row", "1 or more");
  if (per_cycle < 1 || per_cycle > entries)
    throw ConfigError("lookup.search_width", std::to_string(per_cycle), "not every comparator has a row",
                      "1.." + std::to_string(entries));
  check_bits("not a width in bits of coordinates", coordinate_bits);
  check_bits("not a width in bits of ports", port_bits);
  if (distance == routing::CoordinateDistance::wrapped)
    throw ConfigError("routing.distance", "wrapped", "the search unit does not support rings",
                      "euclid or manhattan");
}

unsigned CompactSearchConfig::distance_bits() const {
  return (distance == routing::CoordinateDistance::euclid ? 2 * coordinate_bits : coordinate_bits) + 1;
}

CompactSearch::CompactSearch(const CompactSearchConfig& config)
    : config_((config.validate(), config)), rows_(config.entries) {}

void CompactSearch::check_row(std::uint32_t row) const {
  if (row >= config_.entries)
    throw ModelError("compact table",
                     "there is no row " + std::to_string(row) + " of " + std::to_string(config_.entries));
}

void CompactSearch::write(std::uint32_t row, const CompactRow& contents) {
  check_row(row);
  check_width(contents.at.x, config_.coordinate_bits);
  check_width(contents.at.y, config_.coordinate_bits);
  check_width(contents.port, config_.port_bits);
  rows_[row] = contents;
}

void CompactSearch::erase(std::uint32_t row) {
  check_row(row);
  rows_[row].reset();
}

std::uint32_t CompactSearch::rows_in_use() const {
  std::uint32_t end = config_.entries;
  while (end > 0 && !rows_[end - 1]) --end;
  return end;
}

std::optional<std::uint64_t> CompactSearch::distance(std::uint32_t row, GridPlace to) const {
  if (row >= config_.entries || !rows_[row]) return std::nullopt;
  const std::uint64_t x = apart(rows_[row]->at.x, to.x), y = apart(rows_[row]->at.y, to.y);
  return config_.distance == routing::CoordinateDistance::euclid ? x * x + y * y : x + y;
}

std::optional<CompactSearch::Choice> CompactSearch::choose(GridPlace to) const {
  std::optional<std::uint64_t> nearest;
  std::optional<Choice> choice;
  for (std::uint32_t row = 0; row < config_.entries; ++row) {
    const std::optional<std::uint64_t> away = distance(row, to);
    if (!away || (nearest && *nearest <= *away)) continue;
    nearest = away;
    choice = Choice{row, port(row)};
  }
  return choice;
}

CompactSearchState::CompactSearchState(const CompactSearchConfig& config)
    : table_(config), nearest_(config.per_cycle) {}

CompactSearchAnswer CompactSearchState::step(const CompactSearchRequest& request) {
  CompactSearchAnswer now;
  if (choosing_) {
    now = choose();
    choosing_ = false;
  } else if (comparing_) {
    compare();
  } else if (request.valid) {
    take(request, now);
  }
  now.ready = !comparing_ && !choosing_;
  return now;
}

void CompactSearchState::take(const CompactSearchRequest& request, CompactSearchAnswer& now) {
  if (request.operation == CamOperation::insert) table_.write(request.row, {request.place, request.port});
  if (request.operation == CamOperation::erase) table_.erase(request.row);
  if (request.operation != CamOperation::search) return;
  ++searches_;
  destination_ = request.place;
  std::fill(nearest_.begin(), nearest_.end(), Nearest());
  if (table_.rows_in_use() == 0)
    now.valid = true;
  else
    compare();
}

void CompactSearchState::compare() {
  bool exact = false;
  for (Nearest& nearest : nearest_) {
    const std::uint32_t row = comparing_row_++;
    const std::optional<std::uint64_t> distance = table_.distance(row, destination_);
    if (!distance) continue;
    ++rows_compared_;
    exact = exact || *distance == 0;
    if (!nearest.valid || *distance < nearest.distance) nearest = {true, row, table_.port(row), *distance};
  }
  choosing_ = comparing_row_ >= table_.rows_in_use() || (exact && table_.config().ends_early);
  comparing_ = !choosing_;
  if (choosing_) comparing_row_ = 0;
}

CompactSearchAnswer CompactSearchState::choose() const {
  const auto before = [](const Nearest& a, const Nearest& b) {
    if (a.valid != b.valid) return a.valid;
    return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
  };
  const Nearest& best = *std::min_element(nearest_.begin(), nearest_.end(), before);
  CompactSearchAnswer answer;
  answer.valid = answer.hit = true;
  answer.row = best.row;
  answer.port = best.port;
  return answer;
}

CompactSearchAnswer CompactSearchState::reset() {
  table_ = CompactSearch(table_.config());
  std::fill(nearest_.begin(), nearest_.end(), Nearest());
  comparing_row_ = 0;
  comparing_ = choosing_ = false;
  return {};
}

}  // namespace tsuji::lookup
