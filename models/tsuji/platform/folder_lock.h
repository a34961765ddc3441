// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::platform {

/// A lock file that one process at a time holds (flock). The operating system releases it when the holder
/// ends, however that happens. The file contains the holder's process and host and is removed when the lock
/// is released.
class FolderLock {
 public:
  /// Takes the lock. If another process holds it, waits if `waits`, else throws ConfigError (--out `folder`).
  /// Throws ConfigError if the file cannot be locked.
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
