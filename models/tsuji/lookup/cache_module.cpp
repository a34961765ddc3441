// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cache_module.h"

#include <algorithm>
#include <utility>

namespace tsuji::lookup {

CacheModule::CacheModule(sc_core::sc_module_name module_name, const RoutingTableCacheConfig& config)
    : sc_module(module_name), own_shape_(std::make_unique<CacheShape>(config)), cache_(*own_shape_) {
  begin();
}

CacheModule::CacheModule(sc_core::sc_module_name module_name, const CacheShape& shape, std::uint64_t seed,
                         std::uint64_t component, Cycle access_cycles)
    : sc_module(module_name), cache_(shape, seed, component), line_(access_cycles - 1) {
  begin();
}

void CacheModule::begin() {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void CacheModule::on_edge() {
  const bool resets = reset.read();
  bool replaced = false;
  if (fill_valid.read() && !resets)
    replaced = cache_.fill(fill_key.read(), fill_set.read(), from_wires(fill_entry.read()));
  const Answer answer = lookup_valid.read() && !resets ? look() : Answer();
  if (resets) std::fill(line_.begin(), line_.end(), Answer());
  show(answer);
  fill_replaced.write(replaced);
  if (flush.read() || resets) cache_.flush();
  entries_held.write(cache_.entries_held());
}

CacheModule::Answer CacheModule::look() {
  const RouteEntry* const found = cache_.find(lookup_key.read(), lookup_set.read());
  found_ = found != nullptr;
  return {true, found_, found_ ? on_wires(*found) : 0U};
}

void CacheModule::show(Answer answer) {
  if (!line_.empty()) {
    std::swap(line_[place_], answer);
    if (++place_ == line_.size()) place_ = 0;
  }
  answer_valid.write(answer.valid);
  answer_hit.write(answer.hit);
  answer_entry.write(answer.entry);
}

}  // namespace tsuji::lookup
