// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cam.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::lookup {

void CamConfig::validate() const {
  if (entries < 1) throw ConfigError("lookup.cam_entries", "0", "a memory without an entry", "1 or more");
  if (key_bits < 1 || key_bits > 64)
    throw ConfigError("lookup.cam_key_bits", std::to_string(key_bits), "key width out of range", "1..64");
  if (access_cycles < 1) throw ConfigError("lookup.cam_cycles", "0", "an access of no duration", "1 or more");
}

Cam::Cam(const CamConfig& config)
    : config_((config.validate(), config)),
      all_bits_(config.key_bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << config.key_bits) - 1) {}

std::optional<Cam::Match> Cam::search(std::uint64_t key) const {
  for (std::uint32_t index = 0; index < rows_.size(); ++index) {
    const Row& row = rows_[index];
    if (row.valid && ((row.key ^ key) & row.mask) == 0) return Match{index, row.value};
  }
  return std::nullopt;
}

void Cam::check(std::uint32_t index, std::uint64_t bits) const {
  if (index >= config_.entries)
    throw ModelError("cam",
                     "there is no row " + std::to_string(index) + " of " + std::to_string(config_.entries));
  if ((bits & ~all_bits_) != 0)
    throw ModelError("cam", "a key or mask is wider than " + std::to_string(config_.key_bits) + " bits");
}

void Cam::insert(std::uint32_t index, std::uint64_t key, std::uint64_t mask, std::uint32_t value) {
  const bool ternary = config_.kind == CamKind::ternary;
  check(index, ternary ? key | mask : key);
  if (index >= rows_.size()) rows_.resize(std::size_t{index} + 1);
  Row& row = rows_[index];
  row.key = key;
  row.mask = ternary ? mask : all_bits_;
  row.value = value;
  row.valid = true;
}

void Cam::erase(std::uint32_t index) {
  check(index, 0);
  if (index < rows_.size()) rows_[index].valid = false;
}

CamState::CamState(const CamConfig& config) : cam_(config), line_(config.access_cycles - 1) {}

CamAnswer CamState::step(const CamRequest& request) {
  CamAnswer now;
  if (request.valid && busy_ == 0) {
    ++accesses_;
    busy_ = cam_.config().pipelined ? 0 : cam_.config().access_cycles;
    if (request.operation == CamOperation::search) {
      const std::optional<Cam::Match> match = cam_.search(request.key);
      now.valid = true;
      now.hit = match.has_value();
      if (match) now.index = match->index, now.value = match->value;
    } else if (request.operation == CamOperation::insert) {
      cam_.insert(request.index, request.key, request.mask, request.value);
    } else if (request.operation == CamOperation::erase) {
      cam_.erase(request.index);
    }
  }
  if (!line_.empty()) {
    std::swap(line_[place_], now);
    if (++place_ == line_.size()) place_ = 0;
  }
  if (busy_ > 0) --busy_;
  now.ready = busy_ == 0;
  return now;
}

CamAnswer CamState::reset() {
  cam_ = Cam(cam_.config());
  std::fill(line_.begin(), line_.end(), CamAnswer());
  busy_ = 0;
  return {};
}

}  // namespace tsuji::lookup
