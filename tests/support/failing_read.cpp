// SPDX-License-Identifier: Apache-2.0
#include "support/failing_read.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace {

constexpr std::size_t forever = std::numeric_limits<std::size_t>::max();
std::size_t bytes_left = forever;

}  // namespace

// Replaces the C library's function in this executable.
extern "C" ssize_t read(int descriptor, void* to, size_t bytes) {
  if (bytes_left == 0) {
    errno = EIO;
    return -1;
  }
  const ssize_t got = syscall(SYS_read, descriptor, to, std::min(bytes, bytes_left));
  if (got > 0 && bytes_left != forever) bytes_left -= static_cast<std::size_t>(got);
  return got;
}

namespace tsuji::test {

FailingRead::FailingRead(std::size_t bytes) {
  bytes_left = bytes;
}

FailingRead::~FailingRead() {
  bytes_left = forever;
}

}  // namespace tsuji::test
