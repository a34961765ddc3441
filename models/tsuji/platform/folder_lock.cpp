// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::platform {
namespace {

std::string this_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(getpid()) + " on " + host.data();
}

std::string holder(int file) {
  std::array<char, 512> text{};
  const ssize_t length = pread(file, text.data(), text.size() - 1, 0);
  // Its holder may not have written its name yet.
  return length <= 0 ? "another process" : std::string(text.data(), std::strcspn(text.data(), "\n"));
}

}  // namespace

FolderLock::FolderLock(std::string path, const std::string& folder, bool waits) : path_(std::move(path)) {
  while (!take(folder, waits)) {
  }
  const std::string text = this_process() + "\n";
  // A full disk is found by those who write results; the lock holds without its text.
  if (ftruncate(file_, 0) == 0) (void)!pwrite(file_, text.data(), text.size(), 0);
}

/// False where the file that was locked is not the one of that name any more: its holder has just removed it.
bool FolderLock::take(const std::string& folder, bool waits) {
  const auto refuse = [&](const std::string& problem, const std::string& accepted) {
    if (file_ >= 0) close(file_);
    throw ConfigError("--out", folder, problem, accepted);
  };
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0 && (errno == ENOSPC || errno == EDQUOT))
    throw OutputError(path_, std::string("cannot be created: ") + std::strerror(errno));
  if (file_ < 0)
    refuse(std::string("cannot be written: ") + std::strerror(errno),
           "a folder that exists or can be created, with write permission");
  while (flock(file_, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK)
      refuse(std::string("cannot be locked: ") + std::strerror(errno), "a file system that has locks");
    refuse("another run writes there: " + holder(file_),
           "another folder, or this one when that run has ended");
  }
  struct stat locked = {}, named = {};
  if (fstat(file_, &locked) == 0 && stat(path_.c_str(), &named) == 0 && locked.st_ino == named.st_ino)
    return true;
  close(file_);
  return false;
}

FolderLock::~FolderLock() {
  unlink(path_.c_str());
  close(file_);
}

}  // namespace tsuji::platform
