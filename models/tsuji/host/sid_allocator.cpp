// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/sid_allocator.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::host {

void SidAllocator::add(const Event& event) {
  if (event.cycle < applied_)
    throw ModelError("sid allocator", event.cycle, "", "an event of a cycle that is over");
  pending_.push_back(event);
}

void SidAllocator::apply_before(Cycle cycle) {
  if (cycle <= applied_) return;
  std::sort(pending_.begin(), pending_.end());
  const auto end =
      std::find_if(pending_.begin(), pending_.end(), [&](const Event& e) { return e.cycle >= cycle; });
  for (auto event = pending_.begin(); event != end; ++event) apply(*event);
  pending_.erase(pending_.begin(), end);
  applied_ = cycle;
}

void SidAllocator::apply(const Event& event) {
  auto found = live_.find(event.group);
  if (event.kind == Kind::request) {
    if (found != live_.end()) return;
    const std::uint8_t sid = lowest_free(event.cycle);
    used_[sid] = true;
    live_[event.group].sid = sid;
    return;
  }
  if (found == live_.end())
    throw ModelError("sid allocator", event.cycle, "", "a release of a group without a sid");
  if (++found->second.released < static_cast<unsigned>(__builtin_popcountll(event.group.map))) return;
  used_[found->second.sid] = false;
  live_.erase(found);
}

std::uint8_t SidAllocator::lowest_free(Cycle cycle) const {
  const auto* free = std::find(std::begin(used_), std::end(used_), false);
  if (free == std::end(used_))
    throw ModelError("sid allocator", cycle, "", "all 128 synchronization identifiers are in use");
  return static_cast<std::uint8_t>(free - std::begin(used_));
}

std::uint8_t SidAllocator::sid(Cycle now, const Group& group) {
  apply_before(now);
  const auto found = live_.find(group);
  if (found == live_.end()) {
    throw ModelError("sid allocator", now, "",
                     "a synchronization identifier that was not requested in an earlier cycle");
  }
  return found->second.sid;
}

unsigned SidAllocator::in_use(Cycle now) {
  apply_before(now);
  return static_cast<unsigned>(live_.size());
}

}  // namespace tsuji::host
