// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cache_state.h"

#include <algorithm>
#include <utility>

namespace tsuji::lookup {

CacheState::CacheState(const CacheShape& shape, std::uint64_t seed, std::uint64_t component,
                       Cycle access_cycles)
    : cache_(shape, seed, component), line_(access_cycles - 1) {}

CacheOutputs CacheState::step(const CacheInputs& in) {
  CacheOutputs out;
  if (in.fill_valid && !in.reset)
    out.fill_replaced = cache_.fill(in.fill_key, in.fill_set, from_wires(in.fill_entry));
  const Answer found = in.lookup_valid && !in.reset ? look(in) : Answer();
  if (in.reset) std::fill(line_.begin(), line_.end(), Answer());
  const Answer answer = delayed(found);
  out.answer_valid = answer.valid;
  out.answer_hit = answer.hit;
  out.answer_entry = answer.entry;
  if (in.flush || in.reset) cache_.flush();
  out.entries_held = cache_.entries_held();
  return out;
}

CacheState::Answer CacheState::look(const CacheInputs& in) {
  const RouteEntry* const found = cache_.find(in.lookup_key, in.lookup_set);
  found_ = found != nullptr;
  return {true, found_, found_ ? on_wires(*found) : 0U};
}

CacheState::Answer CacheState::delayed(Answer answer) {
  if (line_.empty()) return answer;
  std::swap(line_[place_], answer);
  if (++place_ == line_.size()) place_ = 0;
  return answer;
}

}  // namespace tsuji::lookup
