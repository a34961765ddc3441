// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tsuji::platform {

/// A child process whose output is written to a file. The destructor terminates a running child and waits for
/// it. If this process is killed, the child is killed as well.
class ChildProcess {
 public:
  /// `command` is the path of the program followed by its arguments. Throws ModelError if it cannot be
  /// started.
  ChildProcess(const std::vector<std::string>& command, const std::string& output_file);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Returns true once the child has ended; does not wait.
  bool ended();
  void wait();
  /// Sends the child a request to end (SIGTERM); ended() becomes true some time later.
  void terminate();
  /// Exit status of a child that has ended: 128 + signal if a signal ended it.
  int exit_status() const { return exit_status_; }

 private:
  void take_status(int status);

  pid_t pid_ = -1;
  bool running_ = false;
  int exit_status_ = 0;
};

/// Path of the executable of this process.
std::string own_executable();

}  // namespace tsuji::platform
