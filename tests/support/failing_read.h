// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tsuji::test {

/// While it lives, this process's read() fails with EIO after `bytes` bytes, as of a disk that goes bad.
class FailingRead {
 public:
  explicit FailingRead(std::size_t bytes);
  ~FailingRead();
  FailingRead(const FailingRead&) = delete;
  FailingRead& operator=(const FailingRead&) = delete;
};

}  // namespace tsuji::test
