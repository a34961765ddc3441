// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace tsuji::bench {

/// Short names of the flits inside a router's RTL whose payload has too few bits for packet and sequence
/// number. A name that is free again is given last, so that a flit that leaves twice is no other one.
class RtlTags {
 public:
  /// Names of `bits` bits, of which 4,096 are used at most.
  explicit RtlTags(unsigned bits) : identities_(std::size_t{1} << std::min(bits, 12U), none) {
    for (std::size_t tag = 0; tag < identities_.size(); ++tag)
      free_.push_back(static_cast<std::uint32_t>(tag));
  }
  /// Number of names.
  std::size_t size() const { return identities_.size(); }
  /// A name for a flit that comes in; nothing where all are used.
  std::optional<std::uint64_t> give(std::uint64_t identity) {
    if (used_ == size()) return std::nullopt;
    const std::uint32_t tag = free_[next_];
    next_ = (next_ + 1) % size();
    ++used_;
    identities_[tag] = identity;
    return tag;
  }
  /// The flit with a name; nothing for a name that no flit inside has.
  std::optional<std::uint64_t> find(std::uint64_t tag) const {
    if (tag >= size() || identities_[tag] == none) return std::nullopt;
    return identities_[tag];
  }
  /// The flit with this name has left.
  void take_back(std::uint64_t tag) {
    identities_[tag] = none;
    free_[(next_ + size() - used_) % size()] = static_cast<std::uint32_t>(tag);
    --used_;
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> identities_;  ///< [tag]
  std::vector<std::uint32_t> free_;        ///< ring: from next_ on the free tags, the longest free one first
  std::size_t next_ = 0, used_ = 0;
};

}  // namespace tsuji::bench
