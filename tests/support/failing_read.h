// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tsuji::test {

/// For its lifetime, this process's read() fails with EIO after `bytes` bytes, as on a failing disk.
class FailingRead {
 public:
  explicit FailingRead(std::size_t bytes);
  ~FailingRead();
  FailingRead(const FailingRead&) = delete;
  FailingRead& operator=(const FailingRead&) = delete;
};

}  // namespace tsuji::test
