// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/cache.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::host {
namespace {

bool power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

std::size_t checked_sets(const CacheConfig& config) {
  config.validate();
  return config.bytes / config.line_bytes / config.ways;
}

}  // namespace

void CacheConfig::validate() const {
  if (ways < 1 || ways > 16) throw ConfigError("cache.ways", std::to_string(ways), "out of range", "1..16");
  if (!power_of_two(line_bytes) || line_bytes < 8 || line_bytes > MemoryTransaction::line_bytes) {
    throw ConfigError("cache.line_bytes", std::to_string(line_bytes), "not a line size",
                      "8, 16, 32, 64 or 128");
  }
  const std::uint64_t way_bytes = std::uint64_t{ways} * line_bytes;
  if (bytes % way_bytes != 0 || !power_of_two(bytes / way_bytes)) {
    throw ConfigError("cache.bytes", std::to_string(bytes), "does not give a power of two of sets",
                      "ways x line_bytes x a power of two");
  }
}

Cache::Cache(const CacheConfig& config)
    : config_(config), sets_(checked_sets(config)), groups_((sets_ + sets_per_group - 1) / sets_per_group) {}

Cache::Line* Cache::set_if_used(std::uint64_t address) const {
  const std::size_t set = set_of(address);
  Line* group = groups_[set / sets_per_group].get();
  return group == nullptr ? nullptr : group + (set % sets_per_group) * config_.ways;
}

Cache::Line* Cache::set_for_use(std::uint64_t address) {
  auto& group = groups_[set_of(address) / sets_per_group];
  if (!group) group = std::make_unique<Line[]>(sets_per_group * config_.ways);
  return set_if_used(address);
}

Cache::Line* Cache::find(std::uint64_t address) const {
  Line* set = set_if_used(address);
  if (set == nullptr) return nullptr;
  const std::uint64_t line = line_of(address);
  for (unsigned way = 0; way < config_.ways; ++way) {
    if (set[way].state != LineState::invalid && set[way].address == line) return &set[way];
  }
  return nullptr;
}

LineState Cache::state(std::uint64_t address) const {
  const Line* line = find(address);
  return line == nullptr ? LineState::invalid : line->state;
}

bool Cache::load(std::uint64_t address, void* to, std::size_t count) {
  Line* line = find(address);
  if (line == nullptr) return false;
  if (config_.replacement == Replacement::lru) line->stamp = ++clock_;
  std::memcpy(to, line->data + (address - line->address), count);
  return true;
}

bool Cache::store(std::uint64_t address, const void* from, std::size_t count) {
  Line* line = find(address);
  if (line == nullptr) return false;
  if (config_.replacement == Replacement::lru) line->stamp = ++clock_;
  std::memcpy(line->data + (address - line->address), from, count);
  line->state = LineState::dirty;
  return true;
}

unsigned Cache::place_for(const Line* set) const {
  unsigned oldest = 0;
  for (unsigned way = 0; way < config_.ways; ++way) {
    if (set[way].state == LineState::invalid) return way;
    if (set[way].stamp < set[oldest].stamp) oldest = way;
  }
  return oldest;
}

Cache::Victim Cache::dirty_victim(std::uint64_t address) const {
  const Line* set = set_if_used(address);
  if (set == nullptr) return {};
  const Line& place = set[place_for(set)];
  if (place.state != LineState::dirty) return {};
  return {place.address, place.data};
}

unsigned char* Cache::new_storage() {
  if (allocated_ % lines_per_chunk == 0) {
    chunks_.push_back(std::make_unique<unsigned char[]>(lines_per_chunk * config_.line_bytes));
  }
  return chunks_.back().get() + (allocated_++ % lines_per_chunk) * config_.line_bytes;
}

void Cache::fill(std::uint64_t address, const unsigned char* data, LineState state) {
  if (find(address) != nullptr) throw std::logic_error("cache: a line is filled twice");
  Line* set = set_for_use(address);
  Line& place = set[place_for(set)];
  if (place.state == LineState::dirty) throw std::logic_error("cache: a fill would lose a dirty line");
  if (place.data == nullptr) place.data = new_storage();
  std::memcpy(place.data, data, config_.line_bytes);
  place.address = line_of(address);
  place.stamp = ++clock_;
  place.state = state;
  place.watched = false;
}

LineState Cache::snoop_read(std::uint64_t address, unsigned char* data) {
  Line* line = find(address);
  if (line == nullptr) return LineState::invalid;
  const LineState before = line->state;
  if (before == LineState::dirty) {
    std::memcpy(data, line->data, config_.line_bytes);
    line->state = LineState::clean;
  }
  return before;
}

Cache::Invalidated Cache::invalidate(std::uint64_t address) {
  Line* line = find(address);
  if (line == nullptr) return {};
  const Invalidated before{line->state, line->watched};
  line->state = LineState::invalid;
  line->watched = false;
  return before;
}

bool Cache::watch(std::uint64_t address) {
  Line* line = find(address);
  if (line == nullptr) return false;
  line->watched = true;
  return true;
}

unsigned char* Cache::find_data(std::uint64_t address) {
  Line* line = find(address);
  return line == nullptr ? nullptr : line->data;
}

}  // namespace tsuji::host
