// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::test {

/// While it lives, this process's open() makes no file, as on a disk that has no room for one more.
class FailingOpen {
 public:
  explicit FailingOpen(int error);
  ~FailingOpen();
  FailingOpen(const FailingOpen&) = delete;
  FailingOpen& operator=(const FailingOpen&) = delete;
};

}  // namespace tsuji::test
