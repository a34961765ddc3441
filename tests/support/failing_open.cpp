// SPDX-License-Identifier: Apache-2.0
#include "support/failing_open.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

namespace {

int failure = 0;

}  // namespace

// Replaces the C library's function in this executable.
extern "C" int open(const char* path, int flags, ...) {
  unsigned mode = 0;
  if ((flags & O_CREAT) != 0) {
    if (failure != 0) {
      errno = failure;
      return -1;
    }
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

namespace tsuji::test {

FailingOpen::FailingOpen(int error) {
  failure = error;
}

FailingOpen::~FailingOpen() {
  failure = 0;
}

}  // namespace tsuji::test
