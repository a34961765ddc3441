// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::test {

/// For its lifetime, this process's open() creates no file, as on a disk without room for one more.
class FailingOpen {
 public:
  explicit FailingOpen(int error);
  ~FailingOpen();
  FailingOpen(const FailingOpen&) = delete;
  FailingOpen& operator=(const FailingOpen&) = delete;
};

}  // namespace tsuji::test
