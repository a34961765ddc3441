// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tsuji::platform {

/// A program that runs beside this one. Its output goes into a file. One that is still running when this is
/// destroyed is terminated and waited for; one that is still running when this process is killed is killed,
/// too.
class ChildProcess {
 public:
  /// `command` is the path of the program and its arguments. ModelError where it cannot be started.
  ChildProcess(const std::vector<std::string>& command, const std::string& output_file);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// False while it runs.
  bool ended();
  void wait();
  /// Asks it to end; it may take a while.
  void terminate();
  /// Of one that has ended: 128 + signal where a signal ended it.
  int exit_status() const { return exit_status_; }

 private:
  void take_status(int status);

  pid_t pid_ = -1;
  bool running_ = false;
  int exit_status_ = 0;
};

/// The file that this process was started from.
std::string own_executable();

}  // namespace tsuji::platform
