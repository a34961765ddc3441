// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::platform {

/// A lock file that one process at a time holds. The lock goes with its holder, however that ends (flock);
/// the file names the holder's process and host, and goes when the lock is given back.
class FolderLock {
 public:
  /// ConfigError (--out `folder`) where another process holds it, unless this one `waits`, or where there can
  /// be no lock.
  FolderLock(std::string path, const std::string& folder, bool waits = false);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  bool take(const std::string& folder, bool waits);

  const std::string path_;
  int file_ = -1;
};

}  // namespace tsuji::platform
