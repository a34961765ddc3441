// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/nic/tables.h"

namespace tsuji::nic {

/// A cid's resources in the Receiver: its entry of the buffer table and that of the limit table (4.3).
struct BufferResources {
  bool valid = false;
  unsigned cid = 0;
  std::uint64_t used = 0;
  std::array<std::uint64_t, BufferEntry::bytes / 8> entry{};
  std::array<std::uint64_t, BufferLimits::bytes / 8> limits{};
};

/// Cache of the resources of a few cids with least-recently-used replacement. Values are written through to
/// memory, so that a replaced entry needs no write-back.
class BufferCache {
 public:
  std::string stands_for() const { return "registers of the buffer table (Kanoh 2000, section 4.3)"; }
  explicit BufferCache(unsigned entries) : entries_(entries) {}
  /// The resources of a cid; null on a miss.
  BufferResources* find(unsigned cid);
  /// Allocates an empty entry for a cid that is not in the cache.
  BufferResources& claim(unsigned cid);
  void flush();

 private:
  std::vector<BufferResources> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace tsuji::nic
