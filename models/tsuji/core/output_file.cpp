// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tsuji/core/error.h"

namespace tsuji {

std::string write_problem(int error) {
  return error == 0 ? "cannot be written" : std::string("cannot be written: ") + std::strerror(error);
}

void close_output(std::ofstream& file, const std::string& path) {
  // errno of a failed open is the reason; otherwise errno is cleared to see that of the close.
  if (file.is_open()) errno = 0;
  if (file.is_open() && !file) {
    // The failed write has left no errno, so another write is made to fail and to set it. The file is
    // discarded anyway.
    constexpr std::size_t more_than_a_block = 65536;
    file.clear();
    file << std::string(more_than_a_block, '\n') << std::flush;
    throw OutputError(path, write_problem(errno));
  }
  file.close();
  if (!file) throw OutputError(path, write_problem(errno));
}

OutputFile::OutputFile(const std::string& path, const std::string& option) : path_(path), option_(option) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) refuse(std::strerror(EISDIR));
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    stream_.open(path, std::ios::binary);
    if (!stream_) refuse(std::strerror(errno));
    return;
  }
  const auto target = std::filesystem::weakly_canonical(path, error);
  target_ = error ? path : target.string();
  part_ = target_ + ".part";
  take_part();
}

OutputFile::~OutputFile() {
  if (lock_ < 0) return;
  if (!part_.empty()) ::unlink(part_.c_str());
  ::close(lock_);
}

void OutputFile::take_part() {
  while (!lock_part()) {
  }
  stream_.open(part_, std::ios::binary);
  if (!stream_) refuse(std::strerror(errno));
}

/// Returns false if the locked file no longer has this name, because the previous holder has just renamed it.
bool OutputFile::lock_part() {
  lock_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0 && (errno == ENOSPC || errno == EDQUOT)) fail(errno);
  if (lock_ < 0) refuse(std::strerror(errno));
  while (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    const std::string problem = errno == EWOULDBLOCK ? "another process writes it" : std::strerror(errno);
    ::close(lock_);
    lock_ = -1;
    refuse(problem);
  }
  struct stat locked = {}, named = {};
  if (::fstat(lock_, &locked) == 0 && ::stat(part_.c_str(), &named) == 0 && locked.st_ino == named.st_ino)
    return true;
  ::close(lock_);
  lock_ = -1;
  return false;
}

void OutputFile::commit() {
  close_output(stream_, path_);
  if (target_.empty()) return;
  if (std::rename(part_.c_str(), target_.c_str()) != 0) fail(errno);
  part_.clear();
}

void OutputFile::refuse(const std::string& problem) const {
  throw ConfigError(option_, path_, "cannot be written: " + problem,
                    "a file in a folder with write permission");
}

void OutputFile::fail(int error) const {
  throw OutputError(path_, write_problem(error));
}

}  // namespace tsuji
