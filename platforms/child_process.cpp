#include "child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace tsuji::platform {

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& output_file) {
  std::vector<std::string> copy = command;
  std::vector<char*> arguments;
  for (std::string& argument : copy) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  const int error = posix_spawn(&pid_, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw ModelError("child process", command[0] + ": " + std::strerror(error));
  running_ = true;
}

ChildProcess::~ChildProcess() {
  if (!running_) return;
  kill(pid_, SIGTERM);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::take_status(int status) {
  running_ = false;
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool ChildProcess::ended() {
  int status = 0;
  if (running_ && waitpid(pid_, &status, WNOHANG) == pid_) take_status(status);
  return !running_;
}

void ChildProcess::wait() {
  int status = 0;
  while (running_) {
    if (waitpid(pid_, &status, 0) == pid_) {
      take_status(status);
    } else if (errno != EINTR) {
      throw ModelError("child process", std::string("cannot be waited for: ") + std::strerror(errno));
    }
  }
}

std::string own_executable() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

}  // namespace tsuji::platform
