// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace tsuji::workload {

/// Numbers the messages of each (peer, tag) from 0, so that both ends of a message use one number. Memory
/// grows with the pairs that occur: a rank of a ring has one peer of thousands.
class MessageNumbers {
 public:
  std::uint32_t next(std::uint32_t peer, std::int32_t tag) {
    return numbers_[std::uint64_t{peer} << 32 | static_cast<std::uint32_t>(tag)]++;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace tsuji::workload
