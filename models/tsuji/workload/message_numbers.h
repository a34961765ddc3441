// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tsuji::workload {

/// Numbers the messages of each (peer, tag) from 0, so that both ends of a message use one number.
class MessageNumbers {
 public:
  explicit MessageNumbers(std::uint32_t peers) : by_peer_(peers) {}
  std::uint32_t next(std::uint32_t peer, std::int32_t tag) {
    for (auto& [known, number] : by_peer_[peer]) {
      if (known == tag) return number++;
    }
    by_peer_[peer].emplace_back(tag, 1);
    return 0;
  }

 private:
  std::vector<std::vector<std::pair<std::int32_t, std::uint32_t>>>
      by_peer_;  // A short list by linear search: a rank uses few tags with a peer.
};

}  // namespace tsuji::workload
