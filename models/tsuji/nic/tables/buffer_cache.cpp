// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/tables/buffer_cache.h"

#include <algorithm>

namespace tsuji::nic {

BufferResources* BufferCache::find(unsigned cid) {
  for (BufferResources& entry : entries_) {
    if (!entry.valid || entry.cid != cid) continue;
    entry.used = ++uses_;
    return &entry;
  }
  return nullptr;
}

BufferResources& BufferCache::claim(unsigned cid) {
  auto victim = std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
    return (a.valid ? a.used : 0) < (b.valid ? b.used : 0);
  });
  *victim = {true, cid, ++uses_, {}, {}};
  return *victim;
}

void BufferCache::flush() {
  for (BufferResources& entry : entries_) entry = {};
}

}  // namespace tsuji::nic
